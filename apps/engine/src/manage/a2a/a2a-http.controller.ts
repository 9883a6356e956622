import {
  formatSSEErrorEvent,
  formatSSEEvent,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { Caller, goneWith, Problem, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { A2ACalls } from './a2a-calls.service.js';
import {
  a2aMediaType,
  type AskedQuery,
  askedList,
  askedHistory,
  callOf,
  httpFault,
  httpRefusal,
  readAs,
} from './a2a-http.js';
import type { A2ARequests } from './a2a-requests.js';
import { sendUpdates } from './a2a-stream.js';
import { AskedVersion } from './a2a-version.js';

/** One request of the binding. */
interface Asking {
  requests: A2ARequests;
  reply: FastifyReply;
  gone: AbortController;
}

/** Published agents for clients of A2A 1.0, by its HTTP+JSON binding (11). */
@ApiExcludeController()
@Controller('a2a/:agent')
@RequireScopes('agents:ask')
export class A2AHttpController {
  constructor(
    private readonly calls: A2ACalls,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Post(':call')
  send(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('call') call: string,
    @AskedVersion() version: string,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async (asking) => {
      if (call !== 'message:send' && call !== 'message:stream') throw noSuchCall(call);
      const asked = readAs(SendMessageRequest, body);
      if (call === 'message:stream') return this.stream(asking, asking.requests.sendMessageStream(asked));
      const task = await asking.requests.sendMessage(asked);
      return send(reply, SendMessageResponse.toJSON({ payload: { $case: 'task', value: task } }));
    });
  }

  @Get('tasks')
  list(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @AskedVersion() version: string,
    @Query() query: AskedQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) =>
      send(reply, ListTasksResponse.toJSON(await requests.listTasks(askedList(query)))),
    );
  }

  @Get('tasks/:call')
  get(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('call') call: string,
    @AskedVersion() version: string,
    @Query() query: AskedQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async (asking) => {
      const { id, method } = callOf(call);
      if (method === 'subscribe') return this.stream(asking, asking.requests.resubscribe({ tenant: '', id }));
      if (method !== null) throw noSuchCall(call);
      const historyLength = askedHistory(query);
      return send(reply, Task.toJSON(await asking.requests.getTask({ tenant: '', id, historyLength })));
    });
  }

  @Post('tasks/:call')
  change(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('call') call: string,
    @AskedVersion() version: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async (asking) => {
      const { id, method } = callOf(call);
      if (method === 'subscribe') return this.stream(asking, asking.requests.resubscribe({ tenant: '', id }));
      if (method !== 'cancel') throw noSuchCall(call);
      return send(reply, Task.toJSON(await asking.requests.cancelTask({ tenant: '', id, metadata: undefined })));
    });
  }

  @Post('tasks/:task/pushNotificationConfigs')
  addPush(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('task') taskId: string,
    @AskedVersion() version: string,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) => {
      const asked = { ...readAs(TaskPushNotificationConfig, body), taskId };
      const made = await requests.createTaskPushNotificationConfig(asked);
      return send(reply, TaskPushNotificationConfig.toJSON(made), 201);
    });
  }

  @Get('tasks/:task/pushNotificationConfigs')
  pushes(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('task') taskId: string,
    @AskedVersion() version: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) => {
      const asked = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      const found = await requests.listTaskPushNotificationConfigs(asked);
      return send(reply, ListTaskPushNotificationConfigsResponse.toJSON(found));
    });
  }

  @Get('tasks/:task/pushNotificationConfigs/:config')
  push(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('task') taskId: string,
    @Param('config') id: string,
    @AskedVersion() version: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) => {
      const found = await requests.getTaskPushNotificationConfig({ tenant: '', taskId, id });
      return send(reply, TaskPushNotificationConfig.toJSON(found));
    });
  }

  @Delete('tasks/:task/pushNotificationConfigs/:config')
  removePush(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @Param('task') taskId: string,
    @Param('config') id: string,
    @AskedVersion() version: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) => {
      await requests.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
      await reply.status(204).send();
    });
  }

  @Get('extendedAgentCard')
  extendedCard(
    @Caller() caller: Principal,
    @Param('agent') agent: string,
    @AskedVersion() version: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answering(caller, agent, version, reply, async ({ requests }) => {
      await requests.getAuthenticatedExtendedAgentCard();
    });
  }

  /** Whatever is refused is answered as the binding says (11.6); what is no refusal goes on to the filter. */
  private async answering(
    caller: Principal,
    agent: string,
    version: string,
    reply: FastifyReply,
    act: (asking: Asking) => Promise<void>,
  ): Promise<void> {
    const gone = goneWith(reply.raw);
    try {
      const requests = await this.calls.open(caller, agent, gone.signal);
      await this.calls.requireVersion(requests, version, 'HTTP+JSON');
      await act({ requests, reply, gone });
    } catch (error) {
      const { status, body, headers } = httpRefusal(error);
      void reply.headers(headers);
      await send(reply, body, status);
    }
  }

  private async stream({ reply, gone }: Asking, updates: AsyncGenerator<StreamResponse, void>): Promise<void> {
    const { EVENT_STREAM_HEARTBEAT_MS: heartbeatMs, EVENT_STREAM_MAX_MS: maxMs } = this.settings;
    const shown = {
      frame: (update: StreamResponse) => formatSSEEvent(StreamResponse.toJSON(update)),
      refusal: (error: unknown) => formatSSEErrorEvent(httpRefusal(error).body),
      fault: () => formatSSEErrorEvent(httpFault),
    };
    await sendUpdates(reply, updates, shown, { heartbeatMs, maxMs }, gone);
  }
}

async function send(reply: FastifyReply, body: unknown, status = 200): Promise<void> {
  await reply.status(status).header('content-type', a2aMediaType).send(JSON.stringify(body));
}

function noSuchCall(call: string): Problem {
  return new Problem(404, 'call_not_found', `The HTTP binding of A2A 1.0 has no call ${call.slice(0, 100)} here.`);
}
