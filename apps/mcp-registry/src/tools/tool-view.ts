import { type BuiltinTool, builtinTools } from '#libs/contracts';
import { sha256, canonicalJson } from './tool-definition.js';
import type { ToolView } from './tool.dto.js';
import type { Tool } from './tool.entity.js';

const builtinPrefix = 'builtin:';

/** What a person sees of a tool: the approved definition, or the candidate if there is none. */
export function toolView(tool: Tool): ToolView {
  const definition = tool.definition ?? tool.candidate;
  return {
    id: tool.id,
    source: tool.source,
    server_id: tool.server_id,
    name: tool.name,
    title: definition?.title ?? null,
    description: definition?.description ?? '',
    input_schema: definition?.input_schema ?? null,
    state: tool.state,
    problem: tool.problem,
    grade: tool.grade,
    idempotent: tool.idempotent,
    trust: tool.trust,
    pin: tool.pin,
    candidate_pin: tool.candidate_pin,
    python_source: definition?.python?.source ?? null,
    credentials: definition?.python?.uses.credentials ?? [],
  };
}

export function builtinView(tool: BuiltinTool): ToolView {
  return {
    id: `${builtinPrefix}${tool.name}`,
    source: 'builtin',
    server_id: null,
    name: tool.name,
    title: tool.title,
    description: tool.description,
    input_schema: tool.input_schema,
    state: 'approved',
    problem: null,
    grade: tool.grade,
    idempotent: tool.idempotent,
    trust: null,
    pin: builtinPin(tool),
    candidate_pin: null,
    python_source: null,
    credentials: tool.credential ? [tool.credential] : [],
  };
}

/** The built-in tool that a reference (`builtin:<name>`) names, or null for any other reference. */
export function builtinOf(reference: string): BuiltinTool | null {
  if (!reference.startsWith(builtinPrefix)) return null;
  return builtinTools.find(({ name }) => name === reference.slice(builtinPrefix.length)) ?? null;
}

export function builtinPin(tool: BuiltinTool): string {
  return sha256(canonicalJson(tool));
}
