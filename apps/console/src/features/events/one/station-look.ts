import { Bot, FileJson, Inbox, type LucideIcon, RotateCcw, Route, Send, ShieldCheck } from 'lucide-react';
import { eventPageTexts } from '../../../texts/event.js';
import { size } from '../../../ui/size.js';
import { type Tone, toneOf } from '../../../ui/status-badge.js';
import { type Entry, type EventDetail, fact, type Station } from './stations.js';

interface Look {
  icon: LucideIcon;
  title: string;
  status: string | null;
  tone: Tone;
  sentence: string;
}

const icons: Readonly<Record<Station['stage'], LucideIcon>> = {
  received: Inbox,
  verified: ShieldCheck,
  parsed: FileJson,
  routed: Route,
  turn: Bot,
  delivery: Send,
};

/** How a station looks in one line. */
export function stationLook(station: Station, event: EventDetail): Look {
  const { stage, last } = station;
  const again = last.outcome === 'replayed';
  return {
    icon: again ? RotateCcw : icons[stage],
    title: eventPageTexts.stages[stage],
    status: quietStatuses.includes(last.outcome) ? null : last.outcome,
    tone: toneOf(last.outcome),
    sentence: again ? eventPageTexts.replayedBy(fact(last, 'by') ?? '') : sentences[stage](station, event),
  };
}

/** An expected outcome needs no badge. */
const quietStatuses = ['accepted', 'ok'];

const sentences: Readonly<Record<Station['stage'], (station: Station, event: EventDetail) => string>> = {
  received: ({ last }) => {
    const bytes = fact(last, 'bytes');
    return bytes === null
      ? eventPageTexts.byApi
      : eventPageTexts.bytesFrom(size(Number(bytes)), fact(last, 'from') ?? '');
  },
  verified: ({ last }) => {
    const error = fact(last, 'error');
    if (error) return error;
    const scheme = last.stage === 'verified' && last.outcome === 'ok' ? last.reason : fact(last, 'scheme');
    if (scheme === null) return eventPageTexts.adapterVerifies;
    return scheme === 'none' ? eventPageTexts.notVerified : eventPageTexts.verifiedBy(scheme);
  },
  parsed: ({ last }) => {
    const error = fact(last, 'error');
    const messages = Number(fact(last, 'messages') ?? 0);
    if (error) return error;
    return messages > 0
      ? eventPageTexts.parsedAs(messages, fact(last, 'event_type') ?? '')
      : eventPageTexts.nothingParsed;
  },
  routed: ({ last }, event) => {
    if (last.outcome === 'routed') return takersOf(last, event) ?? event.text;
    return last.terminal ? event.text : (fact(last, 'advice') ?? fact(last, 'error') ?? '');
  },
  turn: ({ last }) => {
    const model = fact(last, 'model');
    return fact(last, 'error') ?? (model === null ? '' : eventPageTexts.byModel(model));
  },
  delivery: ({ last, entries }) =>
    fact(last, 'error') ?? fact(last, 'text') ?? (entries.length > 1 ? eventPageTexts.tries(entries.length) : ''),
};

/** What a message was routed to, in words. */
function takersOf({ subject_id }: Entry, { messages }: EventDetail): string | null {
  const message = messages.find(({ id }) => id === subject_id);
  if (!message) return null;
  const matched = message.verdicts.filter(({ verdict }) => verdict === 'matched').length;
  const takers = [
    ...(message.message.workflow_id === undefined ? [] : [eventPageTexts.theWorkflow]),
    ...(matched > 0 ? [eventPageTexts.triggers(matched)] : []),
    ...(message.chief_of_staff === 'taken' ? [eventPageTexts.theChief] : []),
  ];
  return takers.length === 0 ? null : eventPageTexts.routedTo(takers.join(eventPageTexts.and));
}
