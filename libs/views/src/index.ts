export { EventResultView } from './event-result.dto.js';
export { LeftOutToolView } from './left-out-tool.dto.js';
export { NormalizedMessageView } from './message.dto.js';
export {
  type RunRow,
  type RunState,
  runStates,
  RunDetailView,
  RunOutputProblem,
  RunPage,
  RunStep,
  RunTurn,
  RunView,
} from './run.dto.js';
