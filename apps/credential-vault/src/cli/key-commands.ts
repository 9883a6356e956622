import { Problem, type ServiceClient } from '#libs/service-kit';

interface KeyState {
  primary: string;
  keys: { kid: string; deks: number; in_ring: boolean }[];
}

type Say = (line: string) => void;

/** Keys belong to the installation, not to a tenant. */
const nobody = { organizationId: '', projectId: '' };

export async function keyStatus(vault: ServiceClient, say: Say): Promise<KeyState> {
  const state = await vault.get<KeyState>('/internal/keys', nobody);
  for (const { kid, deks, in_ring: inRing } of state.keys) {
    const what = kid === state.primary ? 'primary' : inRing ? 'opens' : 'MISSING from the ring';
    say(`${kid}  ${what}  ${deks} data keys`);
  }
  return state;
}

/**
 * Wraps everything under the primary key. It continues where an earlier run stopped.
 * @param to the key that must be primary; null: any
 * @throws Problem 409 when another key is primary, `unopened` when some data keys do not open
 */
export async function rotate(vault: ServiceClient, say: Say, to: string | null): Promise<void> {
  const { primary } = await keyStatus(vault, say);
  if (to !== null && to !== primary) {
    throw new Problem(
      409,
      'not_primary',
      `The primary key is ${primary}, not ${to}: make it primary in GATEHOUSE_KEK_RING, and restart the vault.`,
    );
  }
  let total = 0;
  const failed = new Set<string>();
  const began = Date.now();
  for (let passDone = 0; ;) {
    const step = await vault.post<{ rewrapped: number; failed: string[]; finished: boolean }>(
      '/internal/keys/rewrap',
      nobody,
      { to: primary },
    );
    total += step.rewrapped;
    passDone += step.rewrapped;
    for (const id of step.failed) failed.add(id);
    if (step.rewrapped > 0) say(`${total} rewrapped, ${Math.round(total / ((Date.now() - began) / 1000))} a second`);
    // Locked rows were skipped, so only a pass that finds nothing is the last.
    if (step.finished && passDone === 0) break;
    if (step.finished) passDone = 0;
  }
  const { keys } = await keyStatus(vault, say);
  for (const { kid, deks } of keys) {
    if (kid !== primary && deks === 0)
      say(`${kid} no longer wraps any data key: it may be removed from GATEHOUSE_KEK_RING`);
  }
  if (failed.size > 0) {
    throw new Problem(
      409,
      'unopened',
      `${failed.size} data keys cannot be opened and were left unchanged: ${[...failed].slice(0, 20).join(', ')}`,
    );
  }
}

/** @throws Problem `unopened` when some credentials do not open */
export async function resealAll(vault: ServiceClient, say: Say, before: Date): Promise<void> {
  const failed: string[] = [];
  let total = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const step: { resealed: number; failed: string[]; cursor: string | null } = await vault.post(
      '/internal/keys/reseal',
      nobody,
      { before: before.toISOString(), ...(cursor ? { cursor } : {}) },
    );
    total += step.resealed;
    failed.push(...step.failed);
    cursor = step.cursor;
    say(`${total} credentials have new data keys`);
  }
  if (failed.length > 0) {
    throw new Problem(
      409,
      'unopened',
      `${failed.length} credentials cannot be opened: ${failed.slice(0, 20).join(', ')}`,
    );
  }
}
