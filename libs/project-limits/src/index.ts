export { createLimitTable, dropLimitTable } from './limit-table.js';
export { noLimits, ProjectLimitsDto } from './limits.dto.js';
export { ProjectLimitsController } from './project-limits.controller.js';
export { ProjectLimits, projectLimitsProvider } from './project-limits.repository.js';
export { type RetainedRows, Retention } from './retention.js';
