const source = 'callers:';

/** In place of an App's id: whoever asks published agents of a project over A2A or MCP. */
export function agentCallersOf(projectId: string): string {
  return `${source}${projectId}`;
}

/** Whether an agent was asked over A2A or MCP: its answer is fetched, and nothing is sent. */
export function isOfAgentCallers(appId: string): boolean {
  return appId.startsWith(source);
}

/** A request to a published agent, as the engine hands it to the router. */
export interface AgentRequest {
  agent_id: string;
  /** `key:<id>` or `user:<id>`: the sender, whose contact it is. */
  caller: string;
  /** A lasting identity behind the caller, who may not approve what is asked. */
  started_by: string;
  text: string;
  /** The caller's own name for the message: the same one is the same task. */
  message_id: string;
  context_id: string;
  protocol: 'a2a' | 'mcp';
}

/** What the router has made of it, once that is on disk. */
export interface AgentRequested<Turn> {
  receipt_id: string;
  /** Null: it was refused. */
  turn: Turn | null;
  /** Why it was refused, a code; null: it was not. */
  refusal: string | null;
  /** The same message was asked before. */
  repeated: boolean;
}
