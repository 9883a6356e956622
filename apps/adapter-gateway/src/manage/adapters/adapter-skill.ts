import { AdapterSkill } from '../../entities/app.entity.js';

const nothingWrong = { code: null, error: null, since: null, failures: 0, next_try_at: null, what_to_do: null };

export function waitingSkill(version: number): AdapterSkill {
  return { state: 'waiting', version, skill_id: null, ...nothingWrong };
}

export function madeSkill(version: number, skillId: string | null): AdapterSkill {
  return { state: 'made', version, skill_id: skillId, ...nothingWrong };
}

/** @param nextTryAt null when a retry would give the same */
export function failedSkill(
  before: AdapterSkill | null,
  version: number,
  { code, detail }: { code: string; detail: string },
  nextTryAt: Date | null,
): AdapterSkill {
  const goesOn = before?.state === 'failed' && before.version === version;
  return {
    state: 'failed',
    version,
    skill_id: before?.skill_id ?? null,
    code,
    error: detail,
    since: (goesOn ? before.since : null) ?? new Date().toISOString(),
    failures: goesOn ? before.failures + 1 : 1,
    next_try_at: nextTryAt?.toISOString() ?? null,
    what_to_do: nextTryAt ? null : (remedies[code] ?? 'Correct the skill in the manifest, then refresh the adapter.'),
  };
}

const remedies: Record<string, string> = {
  slug_taken: 'Delete the Skill that has this slug or give the adapter another one, then refresh the adapter.',
};
