import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { MessageRow, Verdict } from '../../entities/message.entity.js';
import { compileFilter } from '#libs/expressions';
import { evaluateTrigger, filterInput } from '../../path/routing/evaluate-triggers.js';
import type { TriggerRow } from '../../entities/rules.entity.js';
import { WorkflowRepository } from './workflow.repository.js';

interface KnownContact {
  id: string;
  name: string;
  status: string;
}

/** Messages with the verdict of every trigger, including those that were only counted when the message was routed. */
@Injectable()
export class ExplainedMessages {
  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly db: Database,
  ) {}

  /**
   * @param projectId the project of all messages
   * @returns the messages; `unlisted_verdicts` counts only triggers that were deleted since
   */
  async of(projectId: string, messages: MessageRow[]): Promise<MessageRow[]> {
    if (messages.every((message) => message.unlisted_verdicts === 0)) return messages;
    const [triggers, contacts] = await Promise.all([this.workflows.listTriggers(projectId), this.contactsOf(messages)]);
    return messages.map((message) => {
      if (message.unlisted_verdicts === 0) return message;
      const known = new Set(message.verdicts.map((verdict) => verdict.trigger_id));
      const explained = triggers
        .filter(
          (trigger) =>
            trigger.app_id === message.app_id && trigger.created_at <= message.created_at && !known.has(trigger.id),
        )
        .slice(0, message.unlisted_verdicts)
        .map((trigger) => explain(trigger, message, contacts.get(message.contact_id ?? '') ?? null));
      return {
        ...message,
        verdicts: [...message.verdicts, ...explained],
        unlisted_verdicts: message.unlisted_verdicts - explained.length,
      };
    });
  }

  private async contactsOf(messages: MessageRow[]): Promise<Map<string, KnownContact>> {
    const rows = (await this.db.query('SELECT id, name, status FROM router.contact WHERE id = ANY($1)', [
      messages.flatMap((message) => message.contact_id ?? []),
    ])) as KnownContact[];
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/** It was certainly filtered; the reason is derived from the trigger and the contact as they are now. */
function explain(trigger: TriggerRow, row: MessageRow, contact: KnownContact | null): Verdict {
  const compiled = trigger.where === null ? null : compileFilter(trigger.where);
  const evaluated = evaluateTrigger({ event_types: trigger.event_types, compiled }, row.message.event_type, () =>
    filterInput(row.message, contact, row.verified, row.request),
  );
  const since = 'the trigger or the contact has changed since: now it would not filter out the message';
  return {
    trigger_id: trigger.id,
    workflow_id: trigger.workflow_id,
    verdict: 'filtered',
    reason: evaluated?.verdict === 'filtered' ? evaluated.reason : since,
  };
}
