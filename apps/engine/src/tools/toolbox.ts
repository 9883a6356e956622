import { Ajv, type ValidateFunction } from 'ajv';
import type { ToolCall } from '../model/model.js';
import { failure, type Tool, type ToolFailure, type ToolGrade } from './tool.js';

/** A call that passed every check. */
export interface CheckedCall {
  tool: Tool;
  args: Record<string, unknown>;
}

/** The built-in tools of this process, with their arguments' checks compiled once. */
export class Toolbox {
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly tools: Map<string, Tool>;

  constructor(tools: Tool[]) {
    const ajv = new Ajv({ allErrors: true, strict: false });
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    for (const tool of tools) this.checks.set(tool.name, ajv.compile(tool.parameters));
  }

  get names(): string[] {
    return [...this.tools.keys()];
  }

  /** The tools with these names; a name that is none of ours is left out. */
  named(names: string[]): Tool[] {
    return names.flatMap((name) => this.tools.get(name) ?? []);
  }

  /**
   * Checks a call before it is made: the tool is one of the agent's, its arguments fit its schema, and it does no more
   * than the turn may.
   */
  check(call: ToolCall, enabled: Tool[], mayDo: ToolGrade): CheckedCall | ToolFailure {
    const tool = enabled.find((each) => each.name === call.name);
    if (!tool) return failure('unknown_tool', `There is no tool ${call.name.slice(0, 64)} here.`);
    const check = this.checks.get(tool.name);
    if (!check?.(call.arguments)) {
      const what = (check?.errors ?? [])
        .slice(0, 3)
        .map((error) => `${error.instancePath || 'arguments'} ${error.message}`);
      return failure('invalid_arguments', `${what.join('; ')}.`);
    }
    const args = call.arguments as Record<string, unknown>;
    if (mayDo === 'read' && tool.grade(args) !== 'read') {
      return failure('not_allowed', 'The message is not verified, so only calls that read are allowed.');
    }
    return { tool, args };
  }
}
