import { Module } from '@nestjs/common';
import { StepsModule } from '../../steps.module.js';
import { ToolsModule } from '../../path/tools/tools.module.js';
import { PythonCallbackController } from './python-callback.controller.js';
import { PythonCallbackService } from './python-callback.service.js';
import { PythonTryController } from './python-try.controller.js';
import { PythonTryRepository } from './python-try.repository.js';
import { PythonTryService } from './python-try.service.js';

@Module({
  imports: [StepsModule, ToolsModule],
  controllers: [PythonCallbackController, PythonTryController],
  providers: [PythonCallbackService, PythonTryRepository, PythonTryService],
})
export class PythonToolsModule {}
