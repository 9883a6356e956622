import type { Toolset } from '#libs/contracts';
import { type FieldError, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { REGISTRY } from '../../settings.js';

/** Ids of Skills and Python tools in the registry that an agent names. */
export interface NamedTools {
  skills: readonly string[];
  python_tools: readonly string[];
}

/** Checks the Skills and Python tools that agents name. The registry keeps them. */
@Injectable()
export class NamedSkills {
  private readonly logger = new Logger('named-skills');

  constructor(@Inject(REGISTRY) private readonly registry: ServiceClient) {}

  /**
   * Ids that are no Skill or Python tool of the project, as field errors. If the registry does not answer, the agent
   * can be changed all the same: a turn gets only what its project has, and the agent's page shows what is missing.
   */
  async unknown(caller: Principal, { skills, python_tools }: NamedTools): Promise<FieldError[]> {
    if (skills.length + python_tools.length === 0) return [];
    const known = await this.known(caller, { skills: skills.filter(isId), python_tools: python_tools.filter(isId) });
    if (!known) return [];
    return [
      ...unknownAmong('skills', skills, known.skills, 'Skill'),
      ...unknownAmong('python_tools', python_tools, known.tools, 'Python tool'),
    ];
  }

  private async known(caller: Principal, { skills, python_tools }: NamedTools): Promise<Toolset | null> {
    const query = new URLSearchParams({ skill_ids: skills.join(','), tool_ids: python_tools.join(',') });
    try {
      return await this.registry.get<Toolset>(`/internal/toolsets?${query.toString()}`, caller);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'skills.unchecked', skills, python_tools, error: error.code });
      return null;
    }
  }
}

function unknownAmong(field: string, named: readonly string[], known: { id: string }[], what: string): FieldError[] {
  const unknown = named.filter((id) => !known.some((one) => one.id === id));
  return unknown.length > 0 ? [{ field, message: `no ${what} of this project: ${unknown.join(', ')}` }] : [];
}

/** Any other text in the comma-separated list could be read as several ids. */
function isId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
