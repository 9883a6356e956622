import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { McpServer } from '../entities/mcp-server.entity.js';

@Injectable()
export class ToolsetServerRepository {
  constructor(@InjectRepository(McpServer) private readonly servers: Repository<McpServer>) {}

  async findAll({ organizationId, projectId }: Principal, ids: string[]): Promise<McpServer[]> {
    if (ids.length === 0) return [];
    return this.servers.findBy({
      id: In(ids),
      organization_id: organizationId,
      project_id: projectId,
    });
  }
}
