import { Check as Passed, CircleAlert, Minus, OctagonMinus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../../../api/client.js';
import { own } from '../../../../own.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { CodeBlock } from '../../../../ui/code-block.js';
import { ProjectLink } from '../../../../ui/links.js';
import { Disclosure } from '../../../../ui/page.js';
import { type Entry, type EventDetail, fact } from '../steps.js';
import { useWorkflowNames } from '../use-event.js';
import classes from './check-list.module.css';

const texts = eventPageTexts.checks;
type Message = Schema<'MessageView'>;

/** Each check that the router made of a message, in its order, with its result. */
export function RoutedPart({ event, entry }: { event: EventDetail; entry: Entry }): ReactNode {
  const message = event.messages.find(({ id }) => id === entry.subject_id) ?? event.messages[0];
  if (!message) return null;
  if (entry.outcome === 'duplicate') {
    return (
      <CheckList>
        <Check name={texts.claim} state="stop">
          {texts.duplicate}
        </Check>
      </CheckList>
    );
  }
  const kept = guards.includes(message.outcome);
  return (
    <CheckList>
      <Check name={texts.claim} state="pass">
        {message.message.dedup_key ? texts.claimedKey(message.message.dedup_key) : texts.claimed}
      </Check>
      <ContactCheck message={message} contacts={event.contacts} />
      <CleanedCheck message={message} />
      <Check name={texts.guards} state={kept ? 'stop' : 'pass'}>
        {kept ? event.text : texts.guardsPassed}
      </Check>
      {!kept && <Verdicts message={message} policy={fact(entry, 'route_policy')} />}
      {!kept && <ChiefCheck message={message} />}
      {message.reply_withheld && (
        <Check name={texts.withheld} state="note">
          {fact(entry, 'advice') ?? message.reply_withheld}
        </Check>
      )}
    </CheckList>
  );
}

const guards = [
  'dropped_bot',
  'dropped_echo',
  'loop_paused',
  'held_unknown_sender',
  'blocked_contact',
  'ignored',
  'parked',
];

function ContactCheck({ message, contacts }: { message: Message; contacts: EventDetail['contacts'] }): ReactNode {
  const contact = contacts.find(({ id }) => id === message.contact_id);
  if (!contact) {
    return (
      <Check name={texts.contact} state="none">
        {message.app_kind === 'builtin' ? texts.noContact : message.message.sender}
      </Check>
    );
  }
  return (
    <Check name={texts.contact} state={contact.status === 'known' ? 'pass' : 'note'}>
      <ProjectLink path={`/contacts/${contact.id}`}>{contact.name}</ProjectLink> {texts.contactIs[contact.status]}
    </Check>
  );
}

function Verdicts({ message, policy }: { message: Message; policy: string | null }): ReactNode {
  const workflowName = useWorkflowNames();
  const { verdicts, unlisted_verdicts: unlisted } = message;
  const named = message.message.workflow_id;
  if (named !== undefined) {
    return (
      <Check name={texts.workflowNamed} state="pass">
        <ProjectLink path={`/workflows/${named}`}>{texts.workflowNamedText(workflowName(named))}</ProjectLink>
      </Check>
    );
  }
  if (verdicts.length === 0 && unlisted === 0) {
    return (
      <Check name={texts.trigger} state="none">
        {policy === 'chief_of_staff' ? texts.triggersNotTried : texts.noTriggers}
      </Check>
    );
  }
  return (
    <>
      {verdicts.map(({ trigger_id, workflow_id, verdict, reason }) => (
        <Check key={trigger_id} name={texts.trigger} state={verdict === 'matched' ? 'pass' : 'miss'}>
          <ProjectLink path={`/workflows/${workflow_id}/triggers/${trigger_id}`} fw={500}>
            {workflowName(workflow_id)}
          </ProjectLink>{' '}
          {own(eventPageTexts.verdicts, verdict) ?? verdict}
          {verdict === 'matched' && !reason ? `: ${eventPageTexts.matched}` : ''}
          {reason && (
            <>
              {': '}
              <code>{reason}</code>
            </>
          )}
        </Check>
      ))}
      {unlisted > 0 && (
        <Check name={texts.trigger} state="miss">
          {texts.more(unlisted)}
        </Check>
      )}
    </>
  );
}

function ChiefCheck({ message: { chief_of_staff: chief } }: { message: Message }): ReactNode {
  const kept: Readonly<Record<string, string>> = {
    taken: texts.chiefTaken,
    off: texts.chiefOff,
    trigger_took_it: texts.chiefUnlessTriggered,
  };
  return (
    <Check name={texts.chief} state={chief === 'taken' ? 'pass' : 'none'}>
      {chief === null ? texts.chiefNotAsked : (own(kept, chief) ?? texts.chiefKept(chief))}
    </Check>
  );
}

/** What the sanitiser removed from each part of a message. Agents read what is left. */
function CleanedCheck({ message: { sanitizer_report: report, message } }: { message: Message }): ReactNode {
  const { counts, cut } = summed(report);
  if (counts === '' && cut === 0) {
    return (
      <Check name={texts.cleaned} state="pass">
        {texts.cleanText}
      </Check>
    );
  }
  return (
    <Check name={texts.cleaned} state="note">
      {counts && texts.cleanedCounts(counts)} {cut > 0 && texts.cut(cut)}
      <Disclosure label={texts.read}>
        <CodeBlock label={texts.read} code={message.message} wrap />
      </Disclosure>
    </Check>
  );
}

interface FieldReport {
  cut?: number;
  counts?: Record<string, number>;
}

function summed(report: Record<string, unknown> | null): { counts: string; cut: number } {
  const fields = Object.entries((report ?? {}) as Record<string, FieldReport>);
  const counts = fields.flatMap(([field, { counts: found = {} }]) =>
    Object.entries(found).map(([rule, count]) => `${count} ${rule.replaceAll('_', ' ')} (${field})`),
  );
  return { counts: counts.join(', '), cut: fields.reduce((sum, [, { cut = 0 }]) => sum + cut, 0) };
}

/** `pass`: it continued. `miss`: no match. `stop`: it ended here. `note`: worth knowing. `none`: not checked. */
type CheckState = 'pass' | 'miss' | 'stop' | 'note' | 'none';

const icons = { pass: Passed, miss: X, stop: OctagonMinus, note: CircleAlert, none: Minus } as const;

function CheckList({ children }: { children: ReactNode }): ReactNode {
  return <ul className={classes.list}>{children}</ul>;
}

interface CheckProps {
  name: string;
  state: CheckState;
  children: ReactNode;
}

/** One check on the way, and its result in words. */
function Check({ name, state, children }: CheckProps): ReactNode {
  const Icon = icons[state];
  return (
    <li className={classes.check} data-state={state}>
      <Icon size={15} strokeWidth={2.25} aria-hidden className={classes.icon} />
      <span className={classes.name}>{name}</span>
      <div className={classes.text}>{children}</div>
    </li>
  );
}
