import type { ServiceSchema } from '#libs/database';
import { Agent } from '../agents/agent.entity.js';
import { Reply } from '../replies/reply.entity.js';
import { Step } from '../turns/step.entity.js';
import { Turn } from '../turns/turn.entity.js';
import { AgentsTurnsReplies1763700100000 } from './1763700100000-agents-turns-replies.js';

export const schema: ServiceSchema = {
  name: 'engine',
  entities: [Agent, Turn, Step, Reply],
  migrations: [AgentsTurnsReplies1763700100000],
};
