export { InFlightLimiter, type Leave, SurplusPlaces } from './in-flight-limiter.js';
export { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from './verdict.js';
export { Work } from './work.js';
export { addWorkColumns, dropWorkColumns } from './work-columns.js';
export { WorkRow } from './work-row.entity.js';
