/** The statements that create a service's audit table; the trigger keeps every row unchanged. */
export function createAuditTable(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.audit (
       id text CONSTRAINT audit_pkey PRIMARY KEY,
       organization_id text NOT NULL,
       project_id text NOT NULL,
       at timestamptz NOT NULL DEFAULT now(),
       actor text NOT NULL,
       action text NOT NULL,
       subject text NOT NULL,
       before jsonb,
       after jsonb,
       request_id text
     )`,
    `CREATE INDEX audit_by_project ON ${schema}.audit (organization_id, project_id, id)`,
    `CREATE FUNCTION ${schema}.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'the audit log takes new rows alone'; END $$`,
    `CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.audit
       FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_audit_change()`,
  ];
}

export function dropAuditTable(schema: string): string[] {
  return [`DROP TABLE ${schema}.audit`, `DROP FUNCTION ${schema}.refuse_audit_change`];
}
