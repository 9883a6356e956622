export { type MovedRows, type MovedTable, ofProject, through } from './moved-rows.js';
export {
  ProjectRowsController,
  removalMs,
  ROW_PASSAGE,
  type RowPassage,
  rowsBodyBytes,
} from './project-rows.controller.js';
export { projectRowsProvider } from './project-rows.provider.js';
export { type OpenCount, ProjectRows, type RowsInventory, type RowsPage } from './project-rows.repository.js';
