/** The project that a row, a job or a caller belongs to. Every query is scoped by both. */
export interface ProjectScope {
  organizationId: string;
  projectId: string;
}

/** The same as columns of a row or fields of a job. */
export interface ScopeColumns {
  organization_id: string;
  project_id: string;
}

export const scopeOf = (row: ScopeColumns): ProjectScope => ({
  organizationId: row.organization_id,
  projectId: row.project_id,
});

export const columnsOf = (scope: ProjectScope): ScopeColumns => ({
  organization_id: scope.organizationId,
  project_id: scope.projectId,
});
