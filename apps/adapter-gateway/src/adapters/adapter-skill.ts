import { ApiProperty } from '@nestjs/swagger';

/** State of the Skill that the manifest in force declares. */
export class AdapterSkill {
  @ApiProperty({ enum: ['waiting', 'made', 'failed'] }) state: 'waiting' | 'made' | 'failed';
  @ApiProperty({ type: 'integer', description: 'Of the manifest that it is made from' }) version: number;
  @ApiProperty({ type: String, nullable: true }) skill_id: string | null;
  @ApiProperty({ type: String, nullable: true }) code: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be made, in words' })
  error: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Since when it fails' })
  since: string | null;
  @ApiProperty({ type: 'integer', description: 'Failures in a row' }) failures: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not by itself' })
  next_try_at: string | null;
  @ApiProperty({ type: String, nullable: true }) what_to_do: string | null;
}

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
