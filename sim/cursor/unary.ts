// All unary calls: login, models, settings, and calls that get an empty answer.

import { create, toBinary, toJson } from '@bufbuild/protobuf'
import {
  GetServerConfigResponseSchema,
  GetUserPrivacyModeResponseSchema,
} from '../../proto/gen/aiserver/v1/service_pb.ts'
import { isRecord } from '../shape.ts'
import { type Accounts, bearerOf } from './accounts.ts'
import { loginPage, loginRefusal } from './login-page.ts'
import { availableModels, type ModelRow, restModels, usableModels } from './models.ts'
import { Refusal } from './refusal.ts'

interface UnaryRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

export interface UnaryReply {
  readonly status: number
  readonly type: string
  readonly body: string | Uint8Array
}

interface UnaryWorld {
  readonly accounts: Accounts
  readonly models: readonly ModelRow[]
  /** 0 unspecified, 1 all disabled, 2 all enabled. */
  readonly http2Config: number
  readonly agentUrl: string | undefined
  readonly agentnUrl: string | undefined
}

const PRIVACY_NO_STORAGE = 1

export function replyTo(request: UnaryRequest, world: UnaryWorld): UnaryReply {
  try {
    return route(request, world)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return json(error.status, error.toJson())
  }
}

function route(request: UnaryRequest, world: UnaryWorld): UnaryReply {
  const { path, method } = request
  const { accounts } = world
  if (path === '/loginDeepControl') return login(request, accounts)
  if (path === '/auth/poll') return poll(request, accounts)
  if (path === '/v1/models' && method === 'GET') {
    accounts.checkKeyOrAccess(header(request, 'authorization'))
    return json(200, restModels(world.models))
  }
  if (method !== 'POST') return json(404, { code: 'not_found', message: 'Not found' })
  if (path === '/auth/exchange_user_api_key') {
    return json(200, accounts.exchange(header(request, 'authorization')))
  }
  if (path === '/auth/token') return json(200, accounts.refresh(field(request, 'refreshToken')))
  if (path === '/auth/refresh') {
    return json(200, accounts.refresh(bearerOf(header(request, 'authorization'))))
  }
  return rpc(request, world)
}

function rpc(request: UnaryRequest, world: UnaryWorld): UnaryReply {
  const { path } = request
  if (!/^\/(?:agent|aiserver)\.v1\.\w+\/\w+$/.test(path)) {
    return json(404, { code: 'not_found', message: 'Not found' })
  }
  const isJson = header(request, 'content-type')?.includes('json') ?? false
  const either = (proto: Uint8Array, plain: unknown) =>
    isJson ? json(200, plain) : { status: 200, type: 'application/proto', body: proto }
  world.accounts.checkAccess(header(request, 'authorization'))
  switch (path) {
    case '/agent.v1.AgentService/GetUsableModels':
    case '/aiserver.v1.AiService/GetUsableModels': {
      const models = usableModels(world.models)
      return either(models.proto, models.json)
    }
    case '/aiserver.v1.AiService/AvailableModels':
      return json(200, availableModels(world.models))
    case '/aiserver.v1.ServerConfigService/GetServerConfig': {
      const config = serverConfig(world)
      return either(
        toBinary(GetServerConfigResponseSchema, config),
        toJson(GetServerConfigResponseSchema, config),
      )
    }
    case '/aiserver.v1.DashboardService/GetUserPrivacyMode': {
      const mode = create(GetUserPrivacyModeResponseSchema, { privacyMode: PRIVACY_NO_STORAGE })
      return either(
        toBinary(GetUserPrivacyModeResponseSchema, mode),
        toJson(GetUserPrivacyModeResponseSchema, mode),
      )
    }
    default:
      if (path.startsWith('/agent.v1.')) throw new Refusal('unimplemented', `${path} is not simulated`)
      return either(new Uint8Array(), {})
  }
}

function serverConfig({ http2Config, agentUrl, agentnUrl = agentUrl }: UnaryWorld) {
  const isNamed = agentUrl !== undefined || agentnUrl !== undefined
  return create(GetServerConfigResponseSchema, {
    configVersion: 'simulated',
    http2Config,
    ...(isNamed && { agentUrlConfig: { agentUrl: agentUrl ?? '', agentnUrl: agentnUrl ?? '' } }),
  })
}

function login(request: UnaryRequest, accounts: Accounts): UnaryReply {
  const uuid = request.query.get('uuid') ?? ''
  const challenge = request.query.get('challenge') ?? ''
  if (uuid === '' || challenge === '') return { status: 400, type: HTML, body: loginRefusal() }
  accounts.openLogin(uuid, challenge)
  const isApproved = request.method === 'POST' || request.query.get('auto') === '1'
  if (isApproved) accounts.approveLogin(uuid)
  return { status: 200, type: HTML, body: loginPage(isApproved) }
}

const HTML = 'text/html; charset=utf-8'

function poll(request: UnaryRequest, accounts: Accounts): UnaryReply {
  const value = (name: string) => request.query.get(name) ?? field(request, name) ?? ''
  const tokens = accounts.poll(value('uuid'), value('verifier'))
  // The official client reads exactly this text as "not yet"; after any other text it changes its method.
  if (tokens === undefined) return { status: 404, type: 'text/plain', body: 'Not found' }
  return json(200, { ...tokens, challenge: '', authId: 'auth0|user_simulated', uuid: value('uuid') })
}

function json(status: number, body: unknown): UnaryReply {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

function header({ headers }: UnaryRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function field({ body }: UnaryRequest, name: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    const value = isRecord(parsed) ? parsed[name] : undefined
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
