namespace wavecast::calibrate {}
