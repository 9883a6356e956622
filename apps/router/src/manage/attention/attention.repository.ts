import type { AttentionItem } from '#libs/contracts';
import { Database } from '#libs/database';
import { countsByApp, openLetters } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';

interface Kept {
  outcome: string;
  messages: number;
  senders: number;
  since: Date;
}

const hourMs = 3_600_000;
/** Fewer may be a stranger's attempt. */
const refusalsThatMatter = 10;
/** How many of the newest kept messages are examined. */
const looksAt = 1_000;

/** What waits for a person among a project's messages. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly db: Database) {}

  async of(scope: Pick<Principal, 'organizationId' | 'projectId'>): Promise<AttentionItem[]> {
    return (await Promise.all([this.dead(scope), this.kept(scope), this.refused(scope)])).flat();
  }

  private async dead({ organizationId, projectId }: Scope): Promise<AttentionItem[]> {
    const { count, since } = await openLetters(this.db, organizationId, projectId);
    if (count === 0) return [];
    return [
      {
        code: 'dead_letters',
        severity: 'error',
        text: `${count} dead ${count === 1 ? 'letter waits' : 'letters wait'} to be redriven.`,
        what_to_do: 'Read why each failed, repair the cause, then redrive them.',
        resource: { kind: 'dead_letters', id: null },
        count,
        since: since?.toISOString() ?? null,
        scope: 'events:read',
      },
    ];
  }

  private async kept({ organizationId, projectId }: Scope): Promise<AttentionItem[]> {
    const rows = (await this.db.query(
      `SELECT outcome, count(*)::integer AS messages, count(DISTINCT contact_id)::integer AS senders, min(created_at) AS since
         FROM (SELECT outcome, contact_id, created_at FROM router.message
                WHERE organization_id = $1 AND project_id = $2 AND released_at IS NULL
                  AND outcome IN ('held_unknown_sender', 'parked', 'loop_paused')
                ORDER BY id DESC LIMIT $3) m
        GROUP BY outcome`,
      [organizationId, projectId, looksAt],
    )) as Kept[];
    return rows.map((row) => ({ ...saidOf(row), since: row.since.toISOString(), severity: 'warning' as const }));
  }

  private async refused({ organizationId, projectId }: Scope): Promise<AttentionItem[]> {
    const [from, to] = [new Date(Date.now() - hourMs), new Date(Date.now() + hourMs)];
    const counts = await countsByApp(this.db, { organizationId, projectId, appId: null, from, to });
    const refused = counts.filter(({ measure }) => measure === 'refused');
    return [...Map.groupBy(refused, ({ app_id: id }) => id)].flatMap(([id, own]): AttentionItem[] => {
      const count = own.reduce((sum, one) => sum + one.count, 0);
      if (count < refusalsThatMatter) return [];
      const most = own.toSorted((a, b) => b.count - a.count)[0]?.label;
      return [
        {
          code: 'requests_refused',
          severity: 'error',
          text: `${count} requests were refused in the last hour, most of them with ${most}.`,
          what_to_do: 'Verify the App to see whether it accepts a signed request.',
          resource: { kind: 'app', id },
          count,
          since: null,
          scope: 'events:read',
        },
      ];
    });
  }
}

function saidOf({ outcome, messages, senders }: Kept): Omit<AttentionItem, 'since' | 'severity'> {
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

type Scope = Pick<Principal, 'organizationId' | 'projectId'>;
