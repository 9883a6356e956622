import type { Schema } from '../../api/named-schema.js';

/** The editable fields of a Skill. */
export type SkillValues = Pick<Schema<'SkillView'>, 'name' | 'description' | 'knowledge' | 'tools' | 'credentials'>;

export const skillFields = ['name', 'description', 'knowledge'];

export function valuesOf({ name, description, knowledge, tools, credentials }: Schema<'SkillView'>): SkillValues {
  return { name, description, knowledge, tools, credentials };
}

export interface PartProps {
  value: SkillValues;
  onChange: (patch: Partial<SkillValues>) => void;
  error: unknown;
  readOnly: boolean;
}
