import type { errorAt, StepDraft } from './step-drafts.js';

export interface StepFormProps {
  steps: readonly StepDraft[];
  index: number;
  step: StepDraft;
  /** Null: the Chief of Staff. */
  workflowAgent: string | null;
  /** What the API said of this step. */
  errors: Parameters<typeof errorAt>[0];
  readOnly: boolean;
  onChange: (patch: Partial<StepDraft>) => void;
  /** @param chosen keys of the later steps that are done only if this one says so */
  onTargets: (is: boolean, chosen: string[]) => void;
}
