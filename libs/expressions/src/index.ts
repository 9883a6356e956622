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
  expressionsIn,
  filledWith,
  type StepExpression,
  StepExpressionError,
  type StepInput,
  stepsReadBy,
  valueOf,
} from './step-expression.js';
