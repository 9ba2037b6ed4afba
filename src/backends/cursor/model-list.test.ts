import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { GetUsableModelsResponseSchema } from '../../../proto/gen/agent/v1/model_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import { ModelList } from './model-list.ts'
import type { Rpc } from './rpc.ts'

const listed = [
  { modelId: 'composer-2', displayName: 'Composer 2', aliases: ['composer', 'composer-2'] },
  { modelId: 'claude-opus-5', aliases: [] },
]

interface Services {
  usable?: { modelId: string; aliases: string[]; maxMode?: boolean }[] | GatewayError
  rest?: unknown
  available?: unknown
}

function rpcOf({ usable = listed, rest, available }: Services): Rpc & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async call<Out extends DescMessage>({ path }: { path: string }): Promise<MessageShape<Out>> {
      asked.push(path)
      if (usable instanceof GatewayError) throw usable
      return create(GetUsableModelsResponseSchema, { models: usable }) as unknown as MessageShape<Out>
    },
    async json({ path }) {
      asked.push(path)
      const answer = path === '/v1/models' ? rest : available
      if (answer === undefined) throw new GatewayError('not-found', 'no such path')
      return answer
    },
  }
}

const signal = () => AbortSignal.timeout(1_000)
const ids = async (list: ModelList) => (await list.read(signal())).map(({ id }) => id)

describe('the list of models', () => {
  it('has the models and their aliases, each resolved to its model', async () => {
    const list = new ModelList(rpcOf({}))
    expect(await ids(list)).toEqual(['composer-2', 'composer', 'claude-opus-5'])
    expect(list.resolve('composer')).toBe('composer-2')
    expect(list.resolve('composer-2')).toBe('composer-2')
    expect(list.resolve('not-listed')).toBe('not-listed')
  })

  it('adds sizes, variants and efforts from the other service, in either spelling', async () => {
    const available = {
      models: [
        {
          name: 'claude-opus-5',
          contextTokenLimit: 200_000,
          parameterDefinitions: [{ id: 'effort', values: [{ value: 'low' }, { value: 'High' }] }],
          variants: [{ parameterValues: [{ id: 'effort', value: 'High' }] }, { parameterValues: [] }],
        },
        {
          name: 'composer-2',
          context_token_limit: 128_000,
          supports_images: true,
          supports_thinking: false,
          parameter_definitions: [{ id: 'fast', values: ['true'] }],
        },
      ],
    }
    const list = new ModelList(rpcOf({ available }))
    const models = await list.read(signal())
    expect(models.map(({ id, contextTokens }) => [id, contextTokens])).toEqual([
      ['composer-2', 128_000],
      ['composer', 128_000],
      ['claude-opus-5', 200_000],
      ['claude-opus-5[effort=High]', 200_000],
    ])
    expect(models[0]).toMatchObject({ images: true, reasoning: false })
    expect(models[0]).not.toHaveProperty('efforts')
    expect(models[2]).toMatchObject({ reasoning: true, efforts: ['low', 'high'] })
    expect(models[2]).not.toHaveProperty('images')
    expect(list.effort('claude-opus-5', 'high')).toEqual({ id: 'effort', value: 'High' })
    expect(list.effort('claude-opus-5', 'max')).toBeUndefined()
    expect(list.effort('composer-2', 'high')).toBeUndefined()
  })

  it('is the REST list if the agent service has none, and an error if both fail', async () => {
    const missing = new GatewayError('not-found', 'unimplemented')
    const rest = { items: [{ id: 'composer-2', displayName: 'C', aliases: ['c2'] }, 'junk'] }
    expect(await ids(new ModelList(rpcOf({ usable: missing, rest })))).toEqual(['composer-2', 'c2'])
    await expect(ids(new ModelList(rpcOf({ usable: missing })))).rejects.toThrow('no such path')
    const refused = new GatewayError('unauthenticated', 'log in')
    await expect(ids(new ModelList(rpcOf({ usable: refused, rest })))).rejects.toThrow('log in')
  })

  it('knows what needs max mode, and which window each name has', async () => {
    const context = (value: string, isMaxMode: boolean) => ({
      parameterValues: [{ id: 'context', value }],
      isMaxMode,
    })
    const usable = ['plain', 'only', 'wide', 'also', 'told'].map((modelId) => ({
      modelId,
      aliases: [],
      maxMode: modelId === 'told',
    }))
    const available = {
      models: [
        { name: 'plain', contextTokenLimit: 200_000 },
        {
          name: 'only',
          contextTokenLimit: 200_000,
          contextTokenLimitForMaxMode: 900_000,
          supportsNonMaxMode: false,
        },
        { name: 'wide', contextTokenLimit: 256_000, variants: [context('256k', false), context('1m', true)] },
        { name: 'also', context_token_limit: 200_000, context_token_limit_for_max_mode: 1_000_000 },
      ],
    }
    const list = new ModelList(rpcOf({ usable, available }))
    const windows = (await list.read(signal())).map(({ id, contextTokens }) => [id, contextTokens])
    expect(windows).toEqual([
      ['plain', 200_000],
      ['only', 900_000],
      ['wide', 256_000],
      ['wide[context=256k]', 256_000],
      ['wide[context=1m]', 1_000_000],
      ['also', 200_000],
      ['also[max=true]', 1_000_000],
      ['told', undefined],
    ])
    const needs = (id: string, ...values: string[]) =>
      list.needsMaxMode(
        id,
        values.map((value) => ({ id: 'context', value })),
      )
    expect(['plain', 'only', 'wide', 'also', 'told', 'not-listed'].map((id) => needs(id))).toEqual([
      ...[false, true, false, false, true, false],
    ])
    expect([needs('wide', '256k'), needs('wide', '1m'), needs('wide', '2m')]).toEqual([false, true, false])
  })

  it('is read once for all runs, and a failure does not delay every run', async () => {
    const rpc = rpcOf({})
    const list = new ModelList(rpc)
    await Promise.all([list.ready(), list.ready()])
    await list.ready()
    expect(rpc.asked.filter((path) => path.includes('GetUsableModels'))).toHaveLength(1)
    const empty = rpcOf({ usable: [] })
    const none = new ModelList(empty)
    await none.ready()
    await none.ready()
    expect(empty.asked.filter((path) => path.includes('GetUsableModels'))).toHaveLength(1)
    const broken = rpcOf({ usable: new GatewayError('upstream-unavailable', 'down') })
    const other = new ModelList(broken)
    await other.ready()
    await other.ready()
    expect(broken.asked.filter((path) => path.includes('GetUsableModels'))).toHaveLength(1)
  })
})
