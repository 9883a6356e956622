import type { AnswerRule } from '#libs/answer-rules';
import type { Api } from '../api/api.js';
import { usageError } from '../api/cli-error.js';
import type { Case } from './eval-rules.js';

interface CaseSet {
  id: string;
  name: string;
  rules: AnswerRule[];
}

interface SetWithTurns extends CaseSet {
  turns: { turn_id: string; message: string | null }[];
}

const namedChars = 60;

/** The cases of a set: each asks the message of a turn again. @throws CliError 2 for a name that no set has */
export async function casesOf(api: Api, agent: string, name: string): Promise<Case[]> {
  const path = `agents/${encodeURIComponent(agent)}/case-sets`;
  const { data: sets } = await api.get<{ data: CaseSet[] }>(path);
  const named = sets.find((set) => set.name === name);
  if (!named) {
    const known = sets.map((set) => set.name).join(', ');
    throw usageError(`The agent has no set ${name}. ${known === '' ? 'It has none.' : `It has ${known}.`}`, '--set');
  }
  const { rules, turns } = await api.get<SetWithTurns>(`${path}/${named.id}`);
  return turns.map(({ turn_id, message }) => ({
    name: message === null ? turn_id : message.replace(/\s+/g, ' ').slice(0, namedChars),
    asks: [{ turn_id }],
    rules,
    ...(message === null ? { gone: 'its message is past its retention' } : {}),
  }));
}
