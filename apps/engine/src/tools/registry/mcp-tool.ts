import type { McpCallAnswer, McpCallProgress, McpSessionEnd, ToolsetTool } from '#libs/contracts';
import { linksIn } from '#libs/sanitizer';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { isNamed } from '../builtin/host-credential.js';
import { conversationOf, failure, type Tool } from '../tool.js';

/** What all tools of the registry have in common. */
export function describedBy(definition: ToolsetTool): Omit<Tool, 'run' | 'external'> {
  return {
    name: definition.model_name,
    description: definition.description,
    parameters: definition.input_schema,
    source: definition.source,
    skill: definition.skill_slug,
    id: definition.id,
    pin: definition.pin,
    least: definition.grade,
    grade: () => definition.grade,
    idempotent: () => definition.idempotent,
    elsewhere: (args, hosts) => (definition.open_world && definition.trust !== 'own' ? unnamedHost(args, hosts) : null),
  };
}

/** The host of an address in the arguments that is none of these. */
function unnamedHost(args: Record<string, unknown>, hosts: readonly string[]): string | null {
  const urls = linksIn(JSON.stringify(args)).filter((link) => URL.canParse(link));
  return urls.map((url) => new URL(url)).find((url) => !isNamed(url, hosts))?.host ?? null;
}

const gone = 'a new one was opened: what it kept there of earlier calls (an open page, a login) is gone.';
const sessionGone: Record<McpSessionEnd, string> = {
  lost: `The server had lost this conversation's session, and ${gone}`,
  idle: `This conversation's session at the server was ended because it was not used, and ${gone}`,
  evicted: `This conversation's session at the server was ended because others needed its place, and ${gone}`,
  changed: `This conversation's session was ended because the server's settings were changed, and ${gone}`,
};

/** On top of the registry's own limit, so that the registry can end the call and say why. */
const graceMs = 5_000;

/** A tool of an MCP server. It is called through the registry, which holds the sessions and the server's credential. */
export function mcpTool(definition: ToolsetTool, registry: ServiceClient): Tool {
  return {
    ...describedBy(definition),
    external: true,
    trustOf: () => definition.trust,
    noted: (result) => ((result ?? {}) as { note?: string }).note ?? null,
    run: async (args, { turn, ref, signal, say, imageBytes, show }) => {
      const body = {
        tool_id: definition.id,
        pin: definition.pin,
        arguments: args,
        call_id: `${turn.turnId}.${ref}`,
        conversation: conversationOf(turn),
        ...(imageBytes > 0 ? { image_bytes: imageBytes } : {}),
      };
      const { call_max_ms: maxMs } = definition;
      const asked = registry.follow<McpCallAnswer>('/internal/tool-calls', turn, body, {
        signal,
        onLine: (line) => say((line as McpCallProgress).progress),
        ...(maxMs === undefined ? {} : { timeoutMs: maxMs + graceMs }),
      });
      const answer = await unlessAborted(asked, signal).catch(refusalOf);
      if (!answer.ok) return failure(answer.error, answer.message);
      const { content, is_error, truncated, structured, images = [], session_renewed: renewed } = answer;
      if (images.length > 0) show(images);
      // A tool's own error goes to the model like an answer.
      return {
        ...(renewed ? { note: sessionGone[renewed === true ? 'lost' : renewed] } : {}),
        ...(is_error ? { is_error } : {}),
        content,
        ...(structured ? { structured } : {}),
        ...(truncated ? { truncated } : {}),
      };
    },
  };
}

/** A service that gave no answer may have made the call. One that refused has not. */
export function refusalOf(error: unknown): { ok: false; error: string; message: string } {
  if (!(error instanceof Problem)) throw error;
  if (error.code === 'service_unavailable' || error.status === 504) {
    return { ok: false, error: 'outcome_unknown', message: 'The call gave no answer: it may have had its effect.' };
  }
  return { ok: false, error: error.code, message: error.detail.slice(0, 500) };
}

/** @throws the signal's reason as soon as it is aborted; the call itself ends by its own time-out */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
