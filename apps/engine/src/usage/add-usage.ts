/**
 * Adds rows of {project_id, organization_id, agent_id, contact_id, model_calls, tool_calls, input_tokens,
 * output_tokens, cost_micros}, one per agent and contact, to today's usage. Turns without usage (of the rehearsal
 * model) write nothing.
 * @param from a CTE of the statement; always from code, never from input
 */
export function addUsageSql(from: string): string {
  return `
    INSERT INTO engine.usage AS u (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
           input_tokens, output_tokens, cost_micros)
    SELECT project_id, (now() AT TIME ZONE 'utc')::date, agent_id, contact_id, organization_id, model_calls, tool_calls,
           input_tokens, output_tokens, cost_micros
      FROM ${from} WHERE input_tokens + output_tokens + tool_calls > 0
     ORDER BY project_id, agent_id, contact_id
    ON CONFLICT (project_id, day, agent_id, contact_id) DO UPDATE SET
           model_calls = u.model_calls + excluded.model_calls, tool_calls = u.tool_calls + excluded.tool_calls,
           input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
           cost_micros = u.cost_micros + excluded.cost_micros`;
}

/**
 * Adds model calls to today's usage of their models.
 * @param from a query of {project_id, organization_id, kind, spent}, one row per step; always from code, never from
 *   input
 */
export function addModelUsageSql(from: string): string {
  const sum = (name: string): string => `coalesce(sum((spent ->> '${name}')::bigint), 0)`;
  return `
    INSERT INTO engine.model_usage AS u (project_id, day, model, organization_id, model_calls, input_tokens, output_tokens,
           cost_micros)
    SELECT project_id, (now() AT TIME ZONE 'utc')::date, spent ->> 'model', min(organization_id), count(*),
           ${sum('input_tokens')}, ${sum('output_tokens')}, ${sum('cost_micros')}
      FROM (${from}) AS steps WHERE kind = 'model_call' AND spent ->> 'model' IS NOT NULL
     GROUP BY project_id, spent ->> 'model' HAVING ${sum('input_tokens')} + ${sum('output_tokens')} > 0
     ORDER BY project_id, spent ->> 'model'
    ON CONFLICT (project_id, day, model) DO UPDATE SET model_calls = u.model_calls + excluded.model_calls,
           input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
           cost_micros = u.cost_micros + excluded.cost_micros`;
}
