import { newId } from '#libs/contracts';
import type { McpServer, Policy } from '../servers/mcp-server.entity.js';
import type { Tool } from '../tools/tool.entity.js';
import { hintedGrade } from '../tools/tool-definition.js';
import type { ListedTool } from './listed-tool.js';

/** What a complete listing makes of a server's tools. */
export interface Reconciled {
  /** Every tool that is new or looks different now. */
  tools: Tool[];
  /** Those of them whose definition takes effect, and by whose word. */
  approvals: { tool: Tool; by: string }[];
  /** Sentences for people: why the server is not as it was approved; empty when it is. */
  drift: string[];
}

/** A tool that two complete listings in a row do not have is removed; one may be a hiccup. */
const missesUntilRemoved = 2;

/**
 * Compares a complete listing with the tools there are. The first one is the baseline: what the person who registered
 * the server was shown. From then on its policy decides over what is new or changed.
 */
export function reconcile(server: McpServer, known: Tool[], listed: ListedTool[], now: Date): Reconciled {
  const result: Reconciled = { tools: [], approvals: [], drift: [] };
  const byName = new Map(known.map((tool) => [tool.name, tool]));
  const takenBy = server.has_baseline ? (server.policy === 'block' ? null : `policy:${server.policy}`) : 'registration';
  for (const entry of listed) {
    const before = byName.get(entry.name) ?? null;
    byName.delete(entry.name);
    const after = listedTool(before ?? newTool(server, entry.name, now), entry, takenBy);
    if (after.state === 'approved' && after.pin !== before?.pin) {
      const tool = graded(after);
      result.tools.push(tool);
      result.approvals.push({ tool, by: takenBy ?? '' });
      noteTaken(result, server.policy, takenBy, before, tool);
    } else if (!before || differs(before, after)) {
      result.tools.push({ ...after, updated_at: now });
    }
    if (after.state === 'pending') result.drift.push(`${after.name} is new`);
    if (after.state === 'changed') result.drift.push(`${after.name} changed`);
  }
  for (const tool of byName.values()) {
    const misses = tool.misses + 1;
    if (tool.state === 'removed') continue;
    const state = misses >= missesUntilRemoved ? 'removed' : tool.state;
    result.tools.push({ ...tool, misses, state, updated_at: now });
    if (state !== 'removed' && tool.state === 'pending') result.drift.push(`${tool.name} is new`);
    if (state !== 'removed' && tool.state === 'changed') result.drift.push(`${tool.name} changed`);
  }
  return result;
}

function listedTool(tool: Tool, entry: ListedTool, takenBy: string | null): Tool {
  const seen = { ...tool, misses: 0, candidate: null, candidate_pin: null, problem: null };
  if ('problem' in entry) return { ...seen, state: 'quarantined', problem: entry.problem };
  const { definition, pin } = entry;
  if (pin === tool.pin) return { ...seen, state: 'approved' };
  if (takenBy) return { ...seen, state: 'approved', definition, pin };
  return { ...seen, state: tool.pin === null ? 'pending' : 'changed', candidate: definition, candidate_pin: pin };
}

function graded(tool: Tool): Tool {
  return tool.graded || !tool.definition ? tool : { ...tool, ...hintedGrade(tool.definition) };
}

/** Policy `warn` takes a change and says so, until a listing brings no other. */
function noteTaken(result: Reconciled, policy: Policy, takenBy: string | null, before: Tool | null, tool: Tool): void {
  if (policy !== 'warn' || takenBy !== 'policy:warn') return;
  result.drift.push(`${tool.name} ${before?.pin ? 'changed' : 'is new'}, and was taken`);
}

function differs(before: Tool, after: Tool): boolean {
  const same = before.state === after.state && before.candidate_pin === after.candidate_pin;
  return !same || before.misses !== after.misses || before.problem !== after.problem;
}

function newTool(server: McpServer, name: string, now: Date): Tool {
  return {
    id: newId('tol'),
    organization_id: server.organization_id,
    project_id: server.project_id,
    source: 'mcp',
    server_id: server.id,
    name,
    state: 'pending',
    problem: null,
    definition: null,
    pin: null,
    candidate: null,
    candidate_pin: null,
    grade: 'destructive',
    idempotent: false,
    graded: false,
    misses: 0,
    created_at: now,
    updated_at: now,
  };
}
