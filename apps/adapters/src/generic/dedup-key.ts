import { createHash } from 'node:crypto';

/** Longer ids are replaced by their hash: the key goes into a database index, and a sender chooses the id. */
const MAX_ID_LENGTH = 200;

/** `generic:<account or ->:<id>`, the account escaped so that no two pairs give one key. */
export function dedupKey(account: string | undefined, id: string): string {
  const scope = bounded(account ?? '-')
    .replaceAll('%', '%25')
    .replaceAll(':', '%3A');
  return `generic:${scope}:${bounded(id)}`;
}

function bounded(text: string): string {
  return text.length <= MAX_ID_LENGTH ? text : createHash('sha256').update(text).digest('hex');
}
