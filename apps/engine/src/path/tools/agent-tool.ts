import { contentTrusts, wordsOfTurnReason } from '#libs/contracts';
import type { AgentGrant } from '../../entities/agent.entity.js';
import type { Turn } from '../../entities/turn.entity.js';
import type { AgentCalls } from '../calls/agent-call.repository.js';
import { failure, isFailure, type Tool } from './tool.js';

const mostAsked = 20_000;
const whyNotAsked = {
  caller_ended: 'The turn has ended.',
  too_many: 'This event has led to as many questions between agents as it may: answer with what is known.',
};

/** The call goes on in another turn. Its caller waits, and asks again once that turn has ended. */
export class CalledTurnOpen extends Error {
  override readonly name = 'CalledTurnOpen';
  constructor(readonly tool: string) {
    super('the turn waits for an agent that it asked');
  }
}

/** Another agent as a tool: each call is a turn of that agent, with its own instructions, model, tools and budget. */
export function agentTool({ agent_id: agentId, name, description, grade }: AgentGrant, calls: AgentCalls): Tool {
  return {
    name,
    description: `${description}\nAsks another agent, which sees nothing of this conversation: say all that it needs. {answer}`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['message'],
      properties: {
        message: { type: 'string', minLength: 1, maxLength: mostAsked, description: 'What to do or answer, in full' },
      },
    },
    source: 'agent',
    skill: null,
    id: agentId,
    pin: `${agentId} ${grade}`,
    least: grade,
    external: true,
    resumes: true,
    rehearses: true,
    trustOf: (result) => trustIn(result),
    elsewhere: () => null,
    grade: () => grade,
    idempotent: () => false,
    run: async (args, { turn, ref, window, say }) => {
      const { organizationId, projectId, turnId, agentId: callerAgentId } = turn;
      const call = { organizationId, projectId, turnId, callerAgentId, ref, agentId, mayDo: grade, window };
      const called = await calls.begin({ ...call, message: String(args['message']) });
      if (typeof called === 'string') return failure('agent_not_asked', whyNotAsked[called]);
      if (called.ended_at !== null) return resultOf(called);
      if (called.claim === 0) say('waits for the other agent');
      throw new CalledTurnOpen(name);
    },
  };
}

function resultOf({ state, reply_text: answer, content_trust: trust, reason }: Turn): unknown {
  if (state !== 'succeeded') {
    const why = wordsOfTurnReason(reason) ?? `The reason is ${reason}.`;
    return failure('agent_failed', `The agent gave no answer. ${why}`);
  }
  return {
    answer: answer ?? '',
    ...(answer ? {} : { note: 'The agent had nothing to say.' }),
    ...(trust === 'own' ? {} : { content_trust: trust }),
  };
}

/** As the called turn ended: what it read is in its answer. */
function trustIn(result: unknown): (typeof contentTrusts)[number] {
  if (isFailure(result)) return 'own';
  const { content_trust: trust } = (result ?? {}) as { content_trust?: unknown };
  return contentTrusts.find((each) => each === trust) ?? 'own';
}
