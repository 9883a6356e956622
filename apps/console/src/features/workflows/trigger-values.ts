import type { Schema } from '../../api/named-schema.js';

/** The fields of the trigger form. */
export interface TriggerValues {
  app_id: string;
  event_types: string[];
  where: string;
  limit_per_minute: number | null;
  contact_limit_per_hour: number | null;
  debounce_seconds: number | null;
  debounce_max_seconds: number | null;
  active: boolean;
}

export const emptyTrigger: TriggerValues = {
  app_id: '',
  event_types: [],
  where: '',
  limit_per_minute: null,
  contact_limit_per_hour: null,
  debounce_seconds: null,
  debounce_max_seconds: null,
  active: true,
};

export function valuesOf(trigger: Schema<'TriggerView'>): TriggerValues {
  const { id: _id, organization_id: _organization, project_id: _project, workflow_id: _workflow, ...rules } = trigger;
  const { created_at: _created, ...values } = rules;
  return { ...values, where: values.where ?? '' };
}

/** The fields that show their own error. */
export const triggerFields = Object.keys(emptyTrigger).filter((name) => name !== 'where');
