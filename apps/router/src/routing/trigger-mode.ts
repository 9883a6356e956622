import type { MessageRoutePayload, NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import type { Rules } from './project-rules.js';

/** What a trigger's rules cannot be decided over without (spec 4.1). */
export class MissingForTriggers extends PermanentFailure {
  constructor(fields: string[]) {
    super(
      'contract_violation',
      `/parse-inbound: ${fields.join(' and ')} must be there, since triggers listen to this App: not missing`,
    );
  }
}

/**
 * Messages of an App that triggers listen to need every field that triggers go by; those of an App that only the Chief of
 * Staff hears do not (spec 2.5).
 * @throws MissingForTriggers naming the fields
 */
export function requireForTriggers(job: MessageRoutePayload, messages: NormalizedMessage[], rules: Rules): void {
  const listened = (rules.triggers.get(job.app_id)?.length ?? 0) > 0;
  if (!listened || rules.channels.get(job.app_id)?.triggers === false) return;
  const missing = new Set(messages.flatMap((message) => message.missing ?? []));
  if (missing.size > 0) throw new MissingForTriggers([...missing].sort());
}
