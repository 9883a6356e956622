import { newId } from '#libs/contracts';
import type { McpServer, Policy } from '../entities/mcp-server.entity.js';
import type { Tool } from '../tools/tool.entity.js';
import { hintedGrade } from '../tools/tool-definition.js';
import type { ListedTool } from './listed-tool.js';

/** The effect of a complete listing on a server's tools. */
export interface Reconciled {
  /** Every tool that is new or has changed. */
  tools: Tool[];
  /** Those of them whose definition takes effect, and who approved it. */
  approvals: { tool: Tool; by: string }[];
  /** Sentences for people on how the server differs from what was approved. Empty when it does not. */
  drift: string[];
}

/** A tool is removed once two complete listings in a row lack it. A single miss may be a glitch. */
const missesUntilRemoved = 2;

/**
 * Compares a complete listing with the known tools. The first listing is the baseline: it is what the person who
 * registered the server saw. After that the server's policy decides about new and changed tools.
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
  const seen = { ...tool, misses: 0, candidate: null, candidate_pin: null, problem: entry.problem };
  if (!('definition' in entry)) return { ...seen, state: 'quarantined' };
  const { definition, pin } = entry;
  if (pin === tool.pin) return { ...seen, state: 'approved' };
  if (takenBy) return { ...seen, state: 'approved', definition, pin };
  return { ...seen, state: tool.pin === null ? 'pending' : 'changed', candidate: definition, candidate_pin: pin };
}

function graded(tool: Tool): Tool {
  return tool.graded || !tool.definition ? tool : { ...tool, ...hintedGrade(tool.definition) };
}

/** Policy `warn` accepts a change and reports it as drift until the next listing without a change. */
function noteTaken(result: Reconciled, policy: Policy, takenBy: string | null, before: Tool | null, tool: Tool): void {
  if (policy !== 'warn' || takenBy !== 'policy:warn') return;
  result.drift.push(`${tool.name} ${before?.pin ? 'changed' : 'is new'}, and was accepted by the policy warn`);
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
    trust: null,
    misses: 0,
    created_at: now,
    updated_at: now,
  };
}
