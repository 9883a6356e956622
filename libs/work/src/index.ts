export { InFlightLimiter, type Leave, SurplusPlaces } from './in-flight-limiter.js';
export { isWorkedOnSql, notHeldSql } from './held-projects.js';
export { LeaseLost } from './leases.js';
export { Suspects } from './suspects.js';
export { doublingPauseSql, type DueRows, takeDueSql } from './take-due.js';
export { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from './verdict.js';
export { endSql, leaveSql, Work } from './work.js';
export {
  addSuspectColumns,
  addWorkColumns,
  dropSuspectColumns,
  dropWorkColumns,
  openSuspect,
  workColumns,
} from './work-columns.js';
export { WorkRow } from './work-row.entity.js';
