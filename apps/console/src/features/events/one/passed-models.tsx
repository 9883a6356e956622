import type { ReactNode } from 'react';
import { useCredentials } from '../../../api/choices.js';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { fact, type Step } from './steps.js';
import classes from './timeline.module.css';

/** A model of the agent's chain, with one of its keys, that gave no answer. */
interface PassedModel {
  model: string;
  /** The credential that holds the key; null: it needed none. */
  key: string | null;
  why: string;
}

/** Why those before the model that answered did not, each said once. */
export function PassedModels({ passed }: { passed: readonly PassedModel[] }): ReactNode {
  const mayRead = useScope('credentials:read');
  const { data: credentials = [] } = useCredentials(mayRead && passed.some(({ key }) => key !== null));
  const nameOf = (id: string): string => credentials.find((one) => one.id === id)?.name ?? id;
  const sentences = passed.map(({ model, key, why }) =>
    eventPageTexts.passed(model, key === null ? null : nameOf(key), why),
  );
  return [...new Set(sentences)].map((sentence) => (
    <span key={sentence} className={classes.waited}>
      {sentence}
    </span>
  ));
}

/** As the timeline has them. */
export const passedIn = ({ entries }: Step): PassedModel[] =>
  entries
    .filter(({ reason }) => reason === 'model_passed')
    .map((entry) => ({
      model: fact(entry, 'model') ?? '',
      key: fact(entry, 'key'),
      why: fact(entry, 'error') ?? '',
    }));

/** As a call of a model has them. */
export function passedBefore(insteadOf: unknown): PassedModel[] {
  if (!Array.isArray(insteadOf)) return [];
  return insteadOf.map((each: Partial<Record<keyof PassedModel, unknown>>) => ({
    model: String(each.model),
    key: typeof each.key === 'string' ? each.key : null,
    why: String(each.why),
  }));
}
