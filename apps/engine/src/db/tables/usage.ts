/** Usage per day: by agent and contact, and separately by model, since the first rows name no model. */
export const usage = [
  `CREATE TABLE engine.usage (
     project_id text NOT NULL,
     day date NOT NULL,
     agent_id text NOT NULL,
     contact_id text NOT NULL,
     organization_id text NOT NULL,
     model_calls integer NOT NULL,
     tool_calls integer NOT NULL,
     input_tokens bigint NOT NULL,
     output_tokens bigint NOT NULL,
     cost_micros bigint NOT NULL,
     CONSTRAINT usage_pkey PRIMARY KEY (project_id, day, agent_id, contact_id)
   )`,
  // An export of an organization's projects reads its rows in their order.
  'CREATE INDEX usage_by_organization ON engine.usage (organization_id, project_id, day)',
  `CREATE TABLE engine.model_usage (
     project_id text NOT NULL,
     day date NOT NULL,
     model text NOT NULL,
     organization_id text NOT NULL,
     model_calls integer NOT NULL,
     input_tokens bigint NOT NULL,
     output_tokens bigint NOT NULL,
     cost_micros bigint NOT NULL,
     CONSTRAINT model_usage_pkey PRIMARY KEY (project_id, day, model)
   )`,
  'CREATE INDEX model_usage_by_organization ON engine.model_usage (organization_id, project_id, day)',
];
