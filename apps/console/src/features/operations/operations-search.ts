import { oneOf, searchOf, text } from '../../app/search.js';

export const letterStates = ['open', 'redriving', 'redriven', 'lost'] as const;
export const letterStages = ['verified', 'parsed', 'routed', 'turn', 'delivery'] as const;
export const deliveryStates = ['dead', 'unknown', 'expired', 'queued', 'sending', 'delivered'] as const;

/** The URL parameters of each section. */
export const validateOperationsSearch = searchOf({
  app: text,
  reason: text,
  stage: oneOf(letterStages),
  state: oneOf(letterStates),
  /** Dead letters that are redriven together. */
  batch: text,
  delivery: oneOf(deliveryStates),
  action: text,
  actor: text,
  /** The open entry of the audit log. */
  entry: text,
});
export type OperationsSearch = ReturnType<typeof validateOperationsSearch>;
