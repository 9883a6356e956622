/** Receipts on their way through an adapter. */
export const inbound = [
  // Messages too large for a job, until the router has read them. As text: jsonb refuses some that adapters pass on.
  `CREATE TABLE gateway.parsed_messages (
     receipt_id text CONSTRAINT parsed_messages_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     messages text NOT NULL,
     created_at timestamptz NOT NULL
   )`,
  // Receipts that their adapter could not take.
  `CREATE TABLE gateway.inbound_wait (
     receipt_id text CONSTRAINT inbound_wait_pkey PRIMARY KEY,
     adapter_id text NOT NULL,
     job jsonb NOT NULL,
     attempts integer NOT NULL,
     code text NOT NULL,
     taken boolean NOT NULL,
     taken_by text,
     next_at timestamptz NOT NULL,
     waiting_since timestamptz NOT NULL
   )`,
  'CREATE INDEX inbound_wait_due ON gateway.inbound_wait (adapter_id, next_at)',
];
