// Where the numbers come from and how good they are: fitting and validation.
namespace wavecast::calibrate {}
