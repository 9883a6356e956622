export const deliveries = [
  // `lease_owner` holds the lease, so that the lease of a dead process is void at once. `claims` numbers all attempts;
  // pauses do not lower it.
  `CREATE TABLE gateway.delivery (
     id text CONSTRAINT delivery_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     app_id text NOT NULL,
     receipt_id text NOT NULL,
     turn_id text,
     content jsonb NOT NULL,
     state text NOT NULL,
     attempts integer NOT NULL,
     claims integer NOT NULL DEFAULT 0,
     lease_owner text,
     from_part integer NOT NULL,
     parts integer,
     cut_chars integer NOT NULL DEFAULT 0,
     lease_until timestamptz,
     moved_to text,
     error text,
     error_detail text,
     provider_message_id text,
     idempotency_key text,
     created_at timestamptz NOT NULL,
     open_since timestamptz NOT NULL DEFAULT now(),
     failing_since timestamptz,
     settled_at timestamptz
   )`,
  'CREATE INDEX delivery_by_project ON gateway.delivery (project_id, id)',
  `CREATE INDEX delivery_open ON gateway.delivery (lease_until) WHERE state IN ('queued', 'sending')`,
  `CREATE INDEX delivery_waiting ON gateway.delivery (project_id, app_id) WHERE state = 'queued' AND error IS NOT NULL`,
  'CREATE UNIQUE INDEX delivery_idempotency_key ON gateway.delivery (project_id, app_id, idempotency_key)',
  `CREATE TABLE gateway.delivery_part (
     delivery_id text NOT NULL,
     seq integer NOT NULL,
     text text NOT NULL,
     format text NOT NULL,
     CONSTRAINT delivery_part_pkey PRIMARY KEY (delivery_id, seq)
   )`,
  `CREATE TABLE gateway.delivery_attachment (
     delivery_id text NOT NULL,
     seq integer NOT NULL,
     content bytea NOT NULL,
     CONSTRAINT delivery_attachment_pkey PRIMARY KEY (delivery_id, seq)
   )`,
  // When an address may be sent to again.
  `CREATE TABLE gateway.address_pace (
     app_id text NOT NULL,
     address_hash text NOT NULL,
     next_at timestamptz NOT NULL,
     CONSTRAINT address_pace_pkey PRIMARY KEY (app_id, address_hash)
   )`,
];
