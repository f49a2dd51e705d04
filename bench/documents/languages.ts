/** Words of each language, with white space between them. */
export const WORDS = {
  en: `account agreement annual approval archive assembly balance basin branch bridge budget building cabinet canal capacity
cargo catalogue ceiling chamber channel circuit climate coastal collection column committee concrete condition consignment
container contract cooling copper correction council courtyard customer damage decision delivery department deposit design
diagram discharge distance district document drainage electric element engine entrance equipment estimate evidence exhaust
expense extension factory failure filter fitting foundation freight furnace garden gasket gauge granite gravel harbour heating
horizon household humidity hydraulic important impression improvement industry inspection installation insulation insurance
inventory invoice journal junction kitchen laboratory ladder landscape leakage lecture length licence lighting limestone
machine maintenance management manual margin material measurement mechanic member message method mineral mixture monitor
mountain museum narrow natural northern notice number nursery observation office operation orchard order output packing panel
paper parish partner passage payment pension period permission pipeline planning platform pressure printer procedure product
project property protocol provision purchase quality quantity quarry railway receipt recommendation record reference
refinement region regulation reservoir resident result review river roof routine sample schedule season section sediment
service shelter shipment signal southern standard station storage stream structure supplier surface survey switch temperature
terminal timber transport treatment tunnel turbine valley valve vehicle ventilation village volume warehouse waterway weather
well-known workshop long-term`,
  he: `בית ספר עיר רחוב מים שמש ילד ילדה ספינה גשר נהר הר עץ פרח לחם שולחן חלון דלת מורה תלמיד עבודה זמן יום לילה שנה חודש שבוע
מחיר חשבון הזמנה לקוח חברה מכתב תשובה שאלה תוכנית פרויקט מערכת דוח בדיקה חדש גדול קטן ישן טוב ראשון אחרון נמל מחסן רכבת`,
  ar: `بيت مدرسة مدينة شارع ماء شمس ولد بنت سفينة جسر نهر جبل شجرة زهرة خبز طاولة نافذة باب معلم طالب عمل وقت يوم ليلة سنة شهر
أسبوع سعر حساب طلب عميل شركة رسالة جواب سؤال خطة مشروع نظام تقرير فحص جديد كبير صغير قديم الأول الأخير ميناء مخزن قطار السلام`,
  zh: `城市 河流 桥梁 学校 学生 老师 工作 时间 今天 明天 公司 客户 合同 价格 报告 检查 系统 项目 计划 问题 回答 仓库 火车 港口 天气 温度 压力
机器 维修 设备 产品 质量 运输 建筑 花园 山区 春天 大型 新的 重要`,
  ja: `都市 河川 学校 先生 仕事 時間 今日 会社 契約 価格 報告 検査 システム 計画 問題 倉庫 電車 天気 温度 圧力 機械 修理 製品 品質 建物 庭園
春の 大きな 新しい 大切な サービス データ`,
  ko: `도시 강물 학교 학생 선생님 작업 시간 오늘 내일 회사 고객 계약 가격 보고서 검사 시스템 계획 질문 대답 창고 기차 항구 날씨 온도 압력 기계
수리 제품 품질 운송 건물 정원 봄날 중요한 새로운`,
  de: `Antrag Anlage Anschluss Bericht Behälter Brücke Büro Dach Dichtung Druck Entwurf Ergänzung Fläche Förderung Gebäude Gebühr
Gehäuse Gerät Geschäft Größe Häuser Höhe Jahr Kälte Küche Kühlung Länge Lösung Maß Menge Möbel Mühle Müll Öffnung Ölstand Prüfung
Qualität Räume Rückgabe Schlüssel Schraube Straße Stück Tür Überblick Übergabe Vertrag Wärme Wäsche Zähler Zubehör über für während
außerhalb täglich jährlich gemäß künftig`,
  pl: `dostawa część łożysko gęstość jakość młyn następny objętość płyta późny różnica śruba średni świeży tłok umowa właściciel wąż
wieś źródło żelazo ćwierć łódź zamówienie zbiornik ciśnienie pięć sześć dzień miesiąc człowiek książka pieniądze odpowiedź ludność
ręczny górny dolny częściowy późniejszy zwykły`,
  ru: `договор поставка насос давление температура отчёт проверка склад цена количество заказ клиент письмо ответ вопрос система
проект улица город река мост школа учитель работа время сегодня завтра компания качество машина ремонт изделие здание сад весна
новый большой важный первый последний через между после который также`,
  el: `σύμβαση παράδοση αντλία πίεση θερμοκρασία έκθεση έλεγχος αποθήκη τιμή ποσότητα παραγγελία πελάτης γράμμα απάντηση ερώτηση
σύστημα έργο δρόμος πόλη ποτάμι γέφυρα σχολείο δάσκαλος εργασία χρόνος σήμερα αύριο εταιρεία ποιότητα μηχανή κτίριο κήπος νέος μεγάλος`,
  tr: `sözleşme teslimat pompa basınç sıcaklık rapor kontrol depo fiyat miktar sipariş müşteri mektup cevap soru sistem proje sokak
şehir nehir köprü okul öğretmen çalışma zaman bugün yarın şirket kalite makine onarım ürün bina bahçe yeni büyük önemli küçük ağaç
güneş gün ışık yağmur iş`,
  tw: `城市 河流 橋樑 學校 學生 老師 工作 時間 今天 明天 公司 客戶 合約 價格 報告 檢查 系統 專案 計畫 問題 回答 倉庫 火車 港口 天氣 溫度 壓力
機器 維修 設備 產品 品質 運輸 建築 花園 山區 春天 大型 新的 重要`,
};

/** A language that texts can be drawn in. */
export type Language = keyof typeof WORDS;
