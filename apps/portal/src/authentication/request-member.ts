import { Problem } from '#libs/service-kit';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { MemberRequest } from './session-authenticator.js';

const members = new WeakMap<IncomingMessage, MemberRequest>();

export function rememberMember(request: IncomingMessage, member: MemberRequest): void {
  members.set(request, member);
}

/** The calling member and the session, as a handler's argument. @throws Problem 404 `no_session` where a key calls */
export const CallingMember = createParamDecorator((_data: unknown, context: ExecutionContext): MemberRequest => {
  const member = members.get(context.switchToHttp().getRequest<FastifyRequest>().raw);
  if (member) return member;
  throw new Problem(404, 'no_session', 'An API key has no session: only members who signed in have one.');
});

/** The same, or null where a key calls. */
export const MemberOrKey = createParamDecorator((_data: unknown, context: ExecutionContext): MemberRequest | null => {
  return members.get(context.switchToHttp().getRequest<FastifyRequest>().raw) ?? null;
});
