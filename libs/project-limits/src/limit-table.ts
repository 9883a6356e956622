/** The statement that makes a service's own copy of what the portal tells of projects' limits. */
export function createLimitTable(schema: string): string {
  return `
    CREATE TABLE ${schema}.project_limit (
      project_id text CONSTRAINT project_limit_pkey PRIMARY KEY,
      organization_id text NOT NULL,
      limits jsonb NOT NULL
    )`;
}

export const dropLimitTable = (schema: string): string => `DROP TABLE ${schema}.project_limit`;
