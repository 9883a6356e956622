import { PublicRoute } from '#libs/service-kit';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ContactQuestions } from './contact-questions.js';
import { OpenCallRepository } from './open-call.repository.js';
import { readAnswers } from './question-answers.js';
import { closedPage, questionPage, thanksPage } from './question-page.js';

const tokenPattern = /^[\w-]{32}$/;
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The page on which a contact answers what a server asks. Only the contact was sent its address. */
@ApiExcludeController()
@Controller('api/v1/questions')
@PublicRoute()
export class QuestionController {
  constructor(
    private readonly calls: OpenCallRepository,
    private readonly questions: ContactQuestions,
  ) {}

  /** Programs follow links too, so this changes nothing. */
  @Get(':token')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', policy)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  async show(@Param('token') token: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const open = await this.openOf(token);
    if (open) return questionPage(open, new Map(), []);
    void reply.status(410);
    return closedPage;
  }

  /** The form of that page, as text. */
  @Post(':token')
  @HttpCode(200)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', policy)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  async answer(
    @Param('token') token: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const open = await this.openOf(token);
    const read = open?.questions ? readAnswers(open.questions, typeof body === 'string' ? body : '') : null;
    if (open && read && read.problems.length > 0) {
      void reply.status(422);
      return questionPage(open, read.given, read.problems);
    }
    const answered = read && (await this.questions.answer(token, read.answers));
    if (answered) return thanksPage(answered.server_name);
    void reply.status(410);
    return closedPage;
  }

  private async openOf(token: string) {
    const open = tokenPattern.test(token) ? await this.calls.byToken(token) : null;
    const waits = open?.state === 'asking' || open?.state === 'asked';
    return open && waits && open.expires_at.getTime() > Date.now() ? open : null;
  }
}
