import { anyValue, PageOf, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { isDeepStrictEqual } from 'node:util';
import { type RuleFields, ruleFields, type RuleKind, type RuleVersion } from '../../entities/rule-version.entity.js';

const states = ['in_force', 'earlier'] as const;

export class Restoration {
  @Whole(1, 2_147_483_647, {
    optional: true,
    description: 'The version that it replaces: 409 if another one is in force by now. Default: any',
  })
  instead_of?: number;
}

export class RuleVersionView {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ enum: states, description: 'The newest version is in force' }) state: (typeof states)[number];
  @ApiProperty({ type: [String], description: 'Fields that differ from the version before, if it is kept' })
  changed: string[];
  @ApiProperty({ type: 'integer', nullable: true, description: 'The earlier version that it brought back' })
  restored_from: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'key:<id> or user:<id>; null: it is not known' })
  made_by: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class RuleVersionPage extends PageOf(RuleVersionView) {}

export class RuleDifference {
  @ApiProperty() field: string;
  @ApiProperty({ ...anyValue, description: 'As it is in the version compared with' }) before: unknown;
  @ApiProperty({ ...anyValue, description: 'As it is in this version' }) after: unknown;
}

export class RuleDifferences {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ type: 'integer' }) compared_with: number;
  @ApiProperty({ type: [RuleDifference] }) differences: RuleDifference[];
}

/** A version with the one before it, if that is kept. */
export type ListedVersion = RuleVersion & { before: RuleFields | null; newest: number };

export function ruleVersionView(row: ListedVersion): RuleVersionView {
  const { kind, version, newest, before, fields, restored_from, made_by, created_at } = row;
  return {
    version,
    state: version === newest ? 'in_force' : 'earlier',
    changed: before ? differencesOf(kind, before, fields).map(({ field }) => field) : [],
    restored_from,
    made_by,
    created_at: created_at.toISOString(),
  };
}

export function differencesOf(kind: RuleKind, before: RuleFields, after: RuleFields): RuleDifference[] {
  return ruleFields[kind].flatMap((field) =>
    // A version of an earlier release lacks the fields of later ones.
    isDeepStrictEqual(before[field] ?? null, after[field] ?? null)
      ? []
      : [{ field, before: before[field] ?? null, after: after[field] ?? null }],
  );
}
