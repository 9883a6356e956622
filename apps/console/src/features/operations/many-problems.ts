import type { Schema } from '../../api/client.js';
import { operationsTexts } from '../../texts/operations.js';
import { useReason } from '../../ui/editable.js';
import type { Many } from '../../ui/many-bar.js';
import { muteProblem, nameOfProblem, redriveProblem, resolveProblem } from './change-problem.js';

type Problem = Schema<'ProblemView'>;
const texts = operationsTexts.problems;
const dayHours = 24;
const isLoud = ({ state }: Problem): boolean => state === 'open' || state === 'regressed';

/** What is done with several causes. Those without a code are redriven letter by letter. */
export function useManyProblems(): Many<Problem> {
  const reason = useReason('events:write');
  return {
    nameOf: nameOfProblem,
    touched: ['dead-letters', 'events'],
    actions: [
      {
        label: texts.many.redrive,
        reason,
        question: texts.many.redriveQuestion,
        isFor: ({ open, reason: code }) => open > 0 && code !== null,
        change: redriveProblem,
      },
      { label: texts.resolve, reason, isFor: isLoud, change: resolveProblem },
      { label: texts.many.mute, reason, isFor: isLoud, change: (problem) => muteProblem(problem, dayHours) },
    ],
  };
}
