import { idOf, PageOf, PageQuery, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type OpenCall, openCallStates } from '../entities/open-call.entity.js';

export class OpenCallQuery extends PageQuery {
  @Text(100, { optional: true, description: 'Only calls of this MCP server' }) server_id?: string;
}

export class OpenCallView {
  @ApiProperty(idOf('opc')) id: string;
  @ApiProperty() agent_id: string;
  @ApiProperty(idOf('trn')) turn_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that the turn answers' }) receipt_id: string;
  @ApiProperty({ description: 'As the model calls it' }) tool: string;
  @ApiProperty(idOf('tol')) tool_id: string;
  @ApiProperty(idOf('mcp')) server_id: string;
  @ApiProperty() server_name: string;
  @ApiProperty({ ...idOf('con'), nullable: true, description: 'Who is asked; null: nobody can be' }) contact_id:
    string | null;
  @ApiProperty({
    enum: openCallStates,
    description:
      'asking: the contact is to be asked; asked: and was; answered: the answers are to be sent; sending: and may ' +
      'have been; task: the server works on it',
  })
  state: string;
  @ApiProperty({ type: 'integer', description: 'How often the server has asked' }) rounds: number;
  @ApiProperty({ type: Boolean, description: 'The server has made a task of it' }) is_task: boolean;
  @ApiProperty({ ...time, description: 'Until when it waits' }) expires_at: Date;
  @ApiProperty(time) created_at: Date;
}

export class OpenCallPage extends PageOf(OpenCallView) {}

/** Without what is asked and answered: that is between the contact and the server. */
export function openCallView(open: OpenCall): OpenCallView {
  const { id, agent_id, turn_id, receipt_id, tool, tool_id, server_id, server_name, contact_id, state, rounds } = open;
  const { task_id: taskId, expires_at, created_at } = open;
  const named = { id, agent_id, turn_id, receipt_id, tool, tool_id, server_id, server_name, contact_id };
  return { ...named, state, rounds, is_task: taskId !== null, expires_at, created_at };
}
