import { Module } from '@nestjs/common';
import { StatisticsSweeps } from './statistics-sweeps.js';
import { StatisticsController } from './statistics.controller.js';
import { StatisticsService } from './statistics.service.js';

@Module({
  controllers: [StatisticsController],
  providers: [StatisticsService, StatisticsSweeps],
})
export class StatisticsModule {}
