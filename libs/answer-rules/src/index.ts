export { type AnswerRule, patternProblem, problemOf } from './answer-rule.js';
