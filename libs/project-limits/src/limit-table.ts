/** The statement that creates a service's own copy of the projects' limits, which the portal sends. */
export function createLimitTable(schema: string): string {
  return `
    CREATE TABLE ${schema}.project_limit (
      project_id text CONSTRAINT project_limit_pkey PRIMARY KEY,
      organization_id text NOT NULL,
      limits jsonb NOT NULL
    )`;
}

export const dropLimitTable = (schema: string): string => `DROP TABLE ${schema}.project_limit`;
