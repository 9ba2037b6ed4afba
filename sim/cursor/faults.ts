// The ways in which a run can go wrong on the wire, on request.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { InteractionUpdateSchema } from '../../proto/gen/agent/v1/interaction_pb.ts'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import type { AgentRun } from './agent-run.ts'
import { COMPRESSED, encodeFrame } from './frames.ts'
import type { FaultStep } from './script.ts'

const RST_INTERNAL_ERROR = 2
const BOMB_BYTES = 64 * 1024 * 1024

/** From outside, whatever the run is doing. */
export function breakRun(run: AgentRun): void {
  run.close('failed')
  void run.writer.resetStream(RST_INTERNAL_ERROR)
}

export async function playFault(run: AgentRun, { fault, code, length, bytes }: FaultStep): Promise<void> {
  const { writer } = run
  switch (fault) {
    case 'reset':
      await writer.reset()
      return run.close('failed')
    case 'fin':
      await writer.end()
      return run.close('failed')
    case 'rst-stream':
      await writer.resetStream(code ?? RST_INTERNAL_ERROR)
      return run.close('failed')
    case 'hang':
      return writer.untilGone()
    case 'truncate':
      return writer.breakNextFrame('truncate')
    case 'lying-length':
      return writer.breakNextFrame(length === undefined ? {} : { lengthBytes: length })
    case 'goaway':
      return writer.goAway(code ?? 0)
    case 'gzip-bomb': {
      const update = { case: 'textDelta' as const, value: { text: 'x'.repeat(bytes ?? BOMB_BYTES) } }
      const value = create(InteractionUpdateSchema, { message: update })
      const message = create(AgentServerMessageSchema, { message: { case: 'interactionUpdate', value } })
      const bomb = await promisify(gzip)(toBinary(AgentServerMessageSchema, message))
      await writer.raw(encodeFrame(COMPRESSED, bomb))
    }
  }
}
