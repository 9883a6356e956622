import {
  attentionAtMost,
  type AttentionItem,
  isOfAgentCallers,
  type ProjectScope,
  wordsOfTurnReason,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { countsByApp, type OpenLetters, openLetters } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { NamedApps } from '../channels/named-apps.js';
import { ProblemMarkRepository } from '../problems/problem-mark.repository.js';
import { type MissedTicks, ScheduleRepository } from '../schedules/schedule.repository.js';
import { scheduleIn } from '../schedules/scheduled-message.js';

interface Kept {
  outcome: string;
  messages: number;
  senders: number;
  since: Date;
}

const hourMs = 3_600_000;
/** A missed tick is reported for a day. */
const missedForMs = 24 * hourMs;
/** Fewer may be a stranger's attempt. */
const refusalsThatMatter = 10;
/** What ends refusals whose cause is no signature. */
const refusalWords: Readonly<Record<string, string>> = {
  rate_limited: 'It received more than ENDPOINT_RATE_PER_SECOND of the webhook-ingress. An operator raises it.',
  address_rate_limited:
    'One address sent more than ADDRESS_RATE_PER_SECOND of the webhook-ingress. An operator raises it, or names the proxy of many senders in TRUSTED_PROXIES.',
  project_limit:
    'Too many messages wait for the messages_per_second of the project. Raise it in its settings; PROJECT_MAX_WAITING says how many may wait.',
  too_many_slow_bodies:
    'Too many requests sent their bodies slowly. An operator raises SLOW_BODIES of the webhook-ingress.',
  body_too_large:
    "Raise the size limit of the App's requests (max_body_bytes), or have its sender send less at a time.",
  body_too_slow: 'Have its sender send each body at once, or look at the network between it and this installation.',
  invalid_json: 'Have its sender send JSON in UTF-8, or use the App of its provider, whose adapter reads other bodies.',
  unsupported_media_type:
    'Have its sender send application/json, or use the App of its provider, whose adapter reads other bodies.',
  unsupported_encoding: 'Have its sender compress with gzip, deflate or br, or not at all.',
  invalid_encoding: 'Look at its sender: bodies were cut off, or are not compressed as their Content-Encoding says.',
  not_configured: 'Link a credential that has the signing secret of the App.',
  weak_secret: 'Store a stronger signing secret in the credential of the App.',
  stale_timestamp: 'Check the clock of its sender, and that of this installation.',
};
/** How many of the newest kept messages are examined. */
const looksAt = 1_000;

/** What waits for a person among a project's messages. */
@Injectable()
export class AttentionRepository {
  constructor(
    private readonly db: Database,
    private readonly apps: NamedApps,
    private readonly marks: ProblemMarkRepository,
    private readonly schedules: ScheduleRepository,
  ) {}

  async of(scope: ProjectScope): Promise<AttentionItem[]> {
    return (await Promise.all([this.dead(scope), this.kept(scope), this.refused(scope), this.missed(scope)])).flat();
  }

  private async missed(scope: ProjectScope): Promise<AttentionItem[]> {
    const since = new Date(Date.now() - missedForMs);
    return (await this.schedules.missed(scope, since, attentionAtMost)).map(ofMissed);
  }

  private async dead(scope: ProjectScope): Promise<AttentionItem[]> {
    const quiet = await this.marks.quiet(scope.projectId);
    const groups = await openLetters(this.db, scope, attentionAtMost, quiet);
    return Promise.all(groups.map(async (group) => ofLetters(group, await this.nameOf(scope, group.app_id))));
  }

  /** A run that the API or a schedule started came through no App. */
  private async nameOf(scope: ProjectScope, appId: string): Promise<string> {
    if (appId.startsWith('api:')) return 'the API';
    if (isOfAgentCallers(appId)) return 'A2A and MCP';
    const schedule = scheduleIn(appId);
    if (schedule === null) return this.apps.nameOf(scope, appId);
    return (await this.schedules.find(scope, schedule))?.name ?? 'a deleted schedule';
  }

  private async kept({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const rows = (await this.db.query(
      `SELECT outcome, count(*)::integer AS messages, count(DISTINCT contact_id)::integer AS senders, min(created_at) AS since
         FROM (SELECT outcome, contact_id, created_at FROM router.message
                WHERE organization_id = $1 AND project_id = $2 AND released_at IS NULL
                  AND outcome IN ('held_unknown_sender', 'parked', 'loop_paused')
                ORDER BY id DESC LIMIT $3) m
        GROUP BY outcome`,
      [organizationId, projectId, looksAt],
    )) as Kept[];
    return rows.map((row) => ({ ...ofKept(row), since: row.since.toISOString(), severity: 'warning' as const }));
  }

  private async refused(scope: ProjectScope): Promise<AttentionItem[]> {
    const { organizationId, projectId } = scope;
    const [from, to] = [new Date(Date.now() - hourMs), new Date(Date.now() + hourMs)];
    const counts = await countsByApp(this.db, { organizationId, projectId, appId: null, from, to });
    const refused = counts.filter(({ measure }) => measure === 'refused');
    const many = [...Map.groupBy(refused, ({ app_id: id }) => id)]
      .map(([id, own]) => ({ id, own, count: own.reduce((sum, one) => sum + one.count, 0) }))
      .filter(({ count }) => count >= refusalsThatMatter)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, attentionAtMost);
    return Promise.all(
      many.map(async ({ id, own, count }): Promise<AttentionItem> => {
        const most = own.toSorted((a, b) => b.count - a.count)[0]?.label;
        return {
          code: 'requests_refused',
          severity: 'error',
          text: `${await this.nameOf(scope, id)}: ${count} requests were refused in the last hour, most of them with ${most}.`,
          what_to_do: refusalWords[most ?? ''] ?? 'Verify the App to see whether it accepts a signed request.',
          resource: { kind: 'app', id },
          count,
          since: null,
          scope: 'events:read',
        };
      }),
    );
  }
}

const deadWords: Readonly<Record<string, [code: string, one: string, many: string]>> = {
  delivery: ['replies_dead', 'reply was not delivered', 'replies were not delivered'],
  turn: ['turns_dead', 'message got no answer', 'messages got no answer'],
};

/** @param name of the App that they came through */
function ofLetters({ app_id: id, stage, count, reason, since }: OpenLetters, name: string): AttentionItem {
  const [code, one, many] = deadWords[stage] ?? [
    'dead_letters',
    'message could not be processed',
    'messages could not be processed',
  ];
  const words = stage === 'turn' ? wordsOfTurnReason(reason) : null;
  const why = reason === null ? '' : count === 1 ? ` (${reason})` : ` (most of them: ${reason})`;
  const kills = reason === 'kills_its_process';
  return {
    code: kills ? reason : code,
    severity: 'error',
    text: `${name}: ${count} ${count === 1 ? one : many}${why}.${words === null ? '' : ` ${words}`}`,
    what_to_do: kills
      ? 'Look at the end of the log of the process that died, and at its memory. Repair the cause, then redrive them.'
      : 'Read why each failed, repair the cause, then redrive them.',
    resource: { kind: 'dead_letters', id },
    count,
    since: since.toISOString(),
    scope: 'events:read',
  };
}

function ofMissed({ schedule_id: id, name, missed, since, last }: MissedTicks): AttentionItem {
  const ticks = missed === 1 ? '1 tick was' : `${missed} ticks were`;
  return {
    code: 'ticks_missed',
    severity: 'warning',
    text: `Schedule ${name}: ${ticks} missed in the last 24 hours, the last one of ${last.toISOString()}.`,
    what_to_do:
      'Its ticks could not be started in time: the services were down, or a workflow was away. Run it by hand if it is needed now; catch_up says which late ticks run.',
    resource: { kind: 'schedule', id },
    count: missed,
    since: since.toISOString(),
    scope: 'workflows:read',
  };
}

function ofKept({ outcome, messages, senders }: Kept): Omit<AttentionItem, 'since' | 'severity'> {
  const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  if (outcome === 'held_unknown_sender') {
    return {
      code: 'senders_held',
      text: `${many(senders, 'unknown sender')} wrote ${many(messages, 'message')} that ${messages === 1 ? 'is' : 'are'} held.`,
      what_to_do: 'Admit the sender, or block it.',
      resource: { kind: 'contacts', id: null },
      count: senders,
      scope: 'contacts:read',
    };
  }
  const parked = outcome === 'parked';
  return {
    code: parked ? 'messages_parked' : 'loop_paused',
    text: parked
      ? `${many(messages, 'message')} could not be evaluated by a trigger's filter.`
      : `${many(messages, 'message')} came in a suspected loop, which is paused.`,
    what_to_do: parked ? 'Correct the filter, then release the messages.' : 'End the loop, then resume the contact.',
    resource: { kind: 'held_messages', id: null },
    count: messages,
    scope: 'events:read',
  };
}
