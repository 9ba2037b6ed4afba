// The common words of tools in other languages: models that are asked in Chinese may search in Chinese, among tools with English names.
// Each line: the English word, then Chinese, Japanese, Korean, Spanish, Portuguese, French, German and Russian, where they differ. Scripts
// without blanks are read in pairs of characters (words.ts), so a pair stands for the word. Words that begin like the English one
// (`temperatura`) are found by near-words.ts.

import { stem } from './stem.ts'
import { keyOf } from './words.ts'

const lines = `
weather: 天气 天気 날씨 clima meteo wetter погода
temperature: 温度 気温 온도 기온 температура
search: 搜索 查询 查找 检索 検索 검색 buscar busca rechercher cherche suche suchen найти поиск искать
list: 列出 列表 一覧 목록 listar lister auflisten список
create: 创建 新建 添加 作成 追加 생성 추가 crear criar anadir adicionar creer ajouter erstellen hinzufugen создать добавить
delete: 删除 移除 削除 삭제 eliminar borrar excluir apagar supprimer loschen удалить
update: 更新 修改 更改 変更 수정 변경 actualizar cambiar atualizar alterar modifier andern aktualisieren обновить изменить
get: 获取 取得 obtener obter obtenir abrufen получить
send: 发送 送信 보내 전송 enviar envoyer senden отправить
read: 读取 読み 읽기 leer lire lesen читать прочитать
write: 写入 書き 쓰기 escribir escrever ecrire schreiben записать написать
open: 打开 開く 열기 abrir ouvrir offnen открыть
run: 运行 执行 実行 실행 ejecutar executar executer ausfuhren запустить выполнить
command: 命令 コマ 명령 comando commande befehl команда
calculate: 计算 計算 계산 calcular calculer berechnen рассчитать вычислить
convert: 转换 換算 変換 변환 convertir umrechnen umwandeln преобразовать конвертировать
translate: 翻译 翻訳 번역 traducir traduzir traduire ubersetzen перевести
download: 下载 ダウ 다운로드 descargar baixar telecharger herunterladen скачать
upload: 上传 アッ 업로드 subir carregar hochladen загрузить
play: 播放 再生 재생 reproducir tocar jouer abspielen воспроизвести
buy: 购买 購入 구매 comprar acheter kaufen купить
pay: 支付 付款 支払 결제 pagar payer bezahlen оплатить
book: 预订 预约 予約 예약 reservar reserver buchen забронировать
message: 消息 短信 メッ 메시지 mensaje mensagem nachricht сообщение
email: 邮件 メー 이메일 correo courriel почта
phone: 电话 電話 전화 telefono telefone telefon телефон
contact: 联系 連絡 연락 contacto contato kontakt контакт
file: 文件 ファ 파일 archivo arquivo fichier datei файл
folder: 目录 フォ 폴더 carpeta pasta dossier ordner папка
document: 文档 文書 문서 dokument документ
image: 图片 图像 画像 이미지 사진 imagen imagem bild изображение
video: 视频 動画 동영상 видео
data: 数据 デー 데이터 datos dados donnees daten данные
database: 据库 タベ 데이터베이스 datenbank
code: 代码 コー 코드 codigo код
repository: 仓库 リポ 저장소 depot репозиторий
branch: 分支 ブラ 브랜치 rama zweig ветка
version: 版本 バー 버전 версия
server: サー 서버 servidor serveur сервер
service: 服务 서비스 servicio servico dienst услуга сервис
error: 错误 エラ 오류 erro erreur fehler ошибка
issue: 问题 問題 문제 problema probleme проблема
ticket: 工单 チケ 티켓 тикет
log: 日志 ログ 로그 registro journal protokoll журнал
test: 测试 テス 테스트 prueba тест
user: 用户 ユー 사용자 usuario utilisateur benutzer пользователь
customer: 客户 顧客 고객 cliente client kunde клиент
account: 账户 账号 口座 계정 cuenta conta compte konto аккаунт счет
company: 公司 会社 회사 empresa entreprise firma компания
name: 名称 名字 名前 이름 nombre nome имя
number: 号码 番号 번호 numero nummer номер число
status: 状态 状况 状態 상태 estado etat zustand статус
current: 当前 目前 现在 現在 현재 actual atual actuel aktuell текущий
information: 信息 情報 정보 информация
date: 日期 日付 날짜 fecha datum дата
time: 时间 時間 시간 hora tiempo heure zeit время
calendar: 日历 カレ 달력 일정 kalender календарь
meeting: 会议 会議 회의 reunion reuniao besprechung встреча
reminder: 提醒 リマ 알림 recordatorio lembrete rappel erinnerung напоминание
city: 城市 都市 도시 ciudad cidade ville stadt город
country: 国家 나라 pais pays land страна
location: 位置 地点 場所 위치 장소 ubicacion lugar lieu standort место
address: 地址 住所 주소 direccion endereco adresse адрес
map: 地图 地図 지도 mapa carte karte карта
distance: 距离 距離 거리 entfernung расстояние
flight: 航班 机票 フラ 항공 vuelo flug рейс
hotel: 酒店 ホテ 호텔 отель
restaurant: 餐厅 餐馆 レス 식당 ресторан
food: 食物 外卖 음식 comida nourriture essen еда
recipe: 食谱 菜谱 レシ 레시피 receta receita recette rezept рецепт
order: 订单 注文 주문 pedido bestellung заказ
product: 产品 商品 제품 상품 producto produto produit produkt товар
price: 价格 価格 가격 precio preco prix preis цена
currency: 货币 汇率 通貨 통화 환율 moneda moeda devise wahrung валюта
stock: 股票 株価 주식 acciones aktie акции
movie: 电影 映画 영화 pelicula фильм
music: 音乐 音楽 음악 musica musique musik музыка
song: 歌曲 노래 cancion cancao chanson lied песня
news: 新闻 ニュ 뉴스 noticia nouvelles nachrichten новости
language: 语言 言語 언어 idioma langue sprache язык
website: 网页 网站 ウェ 웹사이트 sitio webseite сайт
device: 设备 デバ 장치 dispositivo appareil gerat устройство
light: 灯光 照明 조명 lumiere licht свет
doctor: 医生 医者 의사 medico medecin arzt врач
summary: 总结 摘要 要約 요약 resumen resumo zusammenfassung
`

/** Endings that grammar adds: `날씨를` is of `날씨`. */
const longestEnding = 3
const shortest = 2

/** `погода` is `погоду` after a verb. */
const russianEnding = /[аеийоуыьюя]$/

const english = new Map(
  lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [word = '', others = ''] = line.split(': ')
      return others
        .split(' ')
        .map((other): [string, string] => [stem(other).replace(russianEnding, ''), keyOf(word)])
    }),
)

/** The English word of tools for a word of another language, which is a stem or a pair as in words.ts. */
export function translate(word: string): string | undefined {
  for (let length = word.length; length >= Math.max(shortest, word.length - longestEnding); length--) {
    const found = english.get(word.slice(0, length))
    if (found !== undefined) return found
  }
  return undefined
}
