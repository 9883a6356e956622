export {
  type ClauseResult,
  compileFilter,
  type Filter,
  type FilterInput,
  type FilterProblem,
  type FilterResult,
} from './filter.js';
export {
  compileStepExpression,
  compileWaitCondition,
  expressionsIn,
  filledWith,
  type StepExpression,
  StepExpressionError,
  type StepInput,
  stepsReadBy,
  valueOf,
  type WaitInput,
  waitReadsOf,
} from './step-expression.js';
